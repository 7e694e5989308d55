// The network at a glance: how many targets stand how, what is under way, the nodes, and every target.
import { cls, html, memo, useCallback, useMemo } from '../lib.js';
import { link, nodes, summary, targets } from '../live.js';
import { useLog } from '../log.js';
import { Icon } from '../parts/icon.js';
import { read } from '../parts/notice.js';
import { Search } from '../parts/search.js';
import { Spread, State, Status } from '../parts/status.js';
import { Rows, useNarrow } from '../parts/virtual.js';
import { Window } from '../parts/window.js';
import { ask, usePlace, useTitle } from '../router.js';
import { useStore } from '../store.js';
import { STATES, byName, clock, count, zone } from '../words.js';

const NO_FILTER = {};
const RECENT = 5;
/** Of what is under way, the most that is shown. */
const MOST = 15;

/** What happened last, and what is under way: if that is too much, what has been so for longest, as somebody looks for it. */
export function recent(open, list) {
  const oldest = [...open].sort((one, other) => one.index - other.index).slice(0, MOST);
  const found = new Map(oldest.map((one) => [one.index, one]));
  for (const one of list) if (found.has(one.index)) found.set(one.index, one);
  for (const one of list.slice(0, RECENT)) found.set(one.index, one);
  return [...found.values()].sort((one, other) => other.index - one.index);
}

export function Overview() {
  useTitle('');
  const { all, known } = useStore(targets);
  const { query } = usePlace();
  const words = query.get('q') ?? '';
  const states = query.getAll('state');
  const tag = query.get('tag') ?? '';
  const order = query.get('sort') ?? 'state';
  const shown = useMemo(() => sorted(filtered(all, words, states, tag), order), [all, words, states.join(), tag, order]);
  const tags = useMemo(() => tagsOf(all), [all]);
  return html`
    <h1 class="unseen">Network</h1>
    <div class="glance">
      <${States} all=${all} chosen=${states} />
      <${Nodes} all=${all} />
    </div>
    <${Recent} />
    <section aria-label="Targets">
      <div class="bar-of-tools">
        <h2>Targets <span class="muted numbers">${shown.length === all.size ? all.size.toLocaleString('en') : `${shown.length.toLocaleString('en')} of ${all.size.toLocaleString('en')}`}</span></h2>
        <label class="field search"><${Icon} name="search" /><span class="unseen">Filter by name, address or reason</span>
          <${Search} name="q" data-filter placeholder="Name, address, reason" /></label>
        ${tags.length > 0 && html`
          <label class="field"><span>Tag</span>
            <select value=${tag} onChange=${(event) => ask({ tag: event.target.value })}>
              <option value="">any</option>
              ${tags.map((one) => html`<option key=${one} value=${one}>${one}</option>`)}
            </select></label>`}
        ${(words || states.length > 0 || tag) && html`<button class="plain" onClick=${() => ask({ q: '', state: [], tag: '' })}>Clear the filter</button>`}
      </div>
      <${Table} shown=${shown} known=${known} any=${all.size > 0} order=${order} />
    </section>`;
}

function filtered(all, words, states, tag) {
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  return [...all.values()].filter((target) => {
    if (states.length && !states.includes(target.state)) return false;
    if (tag && !target.tags.includes(tag)) return false;
    if (!parts.length) return true;
    const text = `${target.name} ${target.address} ${target.reason ?? ''} ${target.tags.join(' ')}`.toLowerCase();
    return parts.every((part) => text.includes(part));
  });
}

/** Those that somebody should look at come first; what a node is about to do by itself is no reason to move a row. */
const URGENT = ['failed', 'drifted', 'pending', 'paused'];
const urgency = ({ state }) => (URGENT.includes(state) ? URGENT.indexOf(state) : URGENT.length);

/** What the list can be sorted by. Those that are alike stay as they come, which is by name. */
const ORDERS = {
  state: (one, other) => urgency(one) - urgency(other),
  name: () => 0,
  address: (one, other) => byName(one.address, other.address),
  master: (one, other) => byName(one.master ?? '', other.master ?? ''),
  applied: (one, other) => other.applied - one.applied,
};

/** By an order, or the other way round with a sign before it. */
export function sorted(list, order) {
  const by = ORDERS[order.replace('-', '')] ?? ORDERS.state;
  const found = list.sort(by);
  return order.startsWith('-') ? found.reverse() : found;
}

function tagsOf(all) {
  const found = new Set();
  for (const target of all.values()) for (const tag of target.tags) found.add(tag);
  return [...found].sort();
}

/** How many stand how; each is a filter. */
function States({ all, chosen }) {
  const counts = useMemo(() => {
    const found = {};
    for (const { state } of all.values()) found[state] = (found[state] ?? 0) + 1;
    return found;
  }, [all]);
  const toggle = (state) => ask({ state: chosen.includes(state) ? chosen.filter((one) => one !== state) : [...chosen, state] });
  return html`
    <div class="states" role="group" aria-label="Targets by state">
      ${Object.entries(STATES).map(([state, { icon, tone, about }]) => html`
        <button key=${state} class=${cls('tile', counts[state] ? `tone-${tone}` : 'none')} aria-pressed=${chosen.includes(state)} title=${about} onClick=${() => toggle(state)}>
          <${Icon} name=${icon} /><b>${(counts[state] ?? 0).toLocaleString('en')}</b><span>${state}</span>
        </button>`)}
    </div>`;
}

function Nodes({ all }) {
  const alive = useStore(nodes);
  const numbers = useStore(summary);
  const masters = useMemo(() => {
    const found = {};
    for (const { master } of all.values()) if (master) found[master] = (found[master] ?? 0) + 1;
    return found;
  }, [all]);
  return html`
    <ul class="nodes" aria-label="Nodes">
      ${alive.map(({ name, session, answers }) => html`
        <li key=${session} class="card" title=${`Session ${session}${answers && numbers ? `, version ${numbers.version}` : ''}`}>
          <${Icon} name="node" /><b>${name}</b>${answers && html`<span class="tag">this node</span>`}
          <span class="muted" title="The targets that it is the master of">${count(masters[name] ?? 0, 'target')}${answers && numbers && html`, <span title=${logged(numbers)}>log to #${numbers.head}</span>`}</span>
        </li>`)}
    </ul>`;
}

const logged = ({ horizon, head }) => `It has seen the log up to #${head}${horizon > 0 ? `; what is before #${horizon + 1} was let go of` : ''}`;

/** What is under way, and what happened last. */
function Recent() {
  const numbers = useStore(summary);
  const told = useCallback((taken) => {
    for (const one of taken) read(`Transaction ${one.index} ${one.status}`);
  }, []);
  const { list, synced } = useLog(NO_FILTER, told);
  const open = numbers?.open ?? [];
  const shown = useMemo(() => recent(open, list), [numbers, list]);
  const more = open.filter(({ index }) => shown.every((one) => one.index !== index)).length;
  return html`
    <section aria-label="Latest transactions">
      <div class="bar-of-tools"><h2>Latest transactions</h2>${shown.length > 0 && html`<span class="muted zone">times in ${zone()}</span>`}${more > 0 && html`<span class="muted">${count(more, 'more', 'more')} under way</span>`}<a href="/transactions">All of them</a></div>
      ${synced && !shown.length && html`<p class="empty small">Nothing was changed yet. The first change is <a href="/change">one file away</a>.</p>`}
      <ul class="card recent">
        ${shown.map((one) => html`<${Entry} key=${one.index} one=${one} />`)}
      </ul>
    </section>`;
}

const Entry = memo(({ one }) => html`
  <li>
    <a class="index" href=${`/transactions/${one.index}`}>#${one.index}</a>
    <${Status} word=${one.stage ?? one.status} />
    <span class="what" title=${one.comment}><span class="kind">${one.kind}</span> <${Window} one=${one} />${one.comment}</span>
    <${Spread} counts=${one.counts} stages=${one.stages} total=${one.target_count} />
    <time class="right muted" datetime=${one.submitted} title=${one.submitted}>${clock(one.submitted)}</time>
  </li>`);

/** The head of a column, which sorts by it: once, and the other way round. */
function By({ name, order, children }) {
  const chosen = order.replace('-', '') === name;
  const turned = order.startsWith('-');
  return html`<button aria-pressed=${chosen} title=${name === 'state' ? 'What is not as it should be first' : `Sort by ${name}`}
    onClick=${() => ask({ sort: chosen && !turned ? `-${name}` : name === 'state' ? '' : name })}>${children}${chosen && html`<span aria-hidden="true">${turned ? ' ▴' : ' ▾'}</span>`}</button>`;
}

function Table({ shown, known, any, order }) {
  const narrow = useNarrow();
  const { is } = useStore(link);
  const row = useCallback((index) => html`<${Target} target=${shown[index]} />`, [shown]);
  const id = useCallback((index) => shown[index].name, [shown]);
  if (!known) return html`<p class="muted wait">${is === 'joining' ? 'Asking the node…' : ''}</p>`;
  if (!any) {
    return html`<div class="empty"><h3>No targets yet</h3><p>Add the first device to the file of the node, or with <code>lockstep target add</code>; <a href="/docs/targets">how</a>.</p></div>`;
  }
  if (!shown.length) return html`<div class="empty"><h3>No target is like that</h3><p><button onClick=${() => ask({ q: '', state: [], tag: '' })}>Clear the filter</button></p></div>`;
  return html`
    <div class="card table targets">
      <div class="head" role="group" aria-label="Sort by">
        <${By} name="state" order=${order}>State<//><${By} name="name" order=${order}>Name<//><${By} name="address" order=${order}>Address<//>
        <span aria-hidden="true">Reason</span><${By} name="master" order=${order}>Master<//><${By} name="applied" order=${order}>Applied<//><span aria-hidden="true">Tags</span>
      </div>
      <${Rows} count=${shown.length} height=${narrow ? 54 : 32} row=${row} id=${id} label="Targets" />
    </div>`;
}

const Target = memo(({ target }) => html`
  <div class="cols">
    <${State} word=${target.state} />
    <a class="lead" href=${`/targets/${encodeURIComponent(target.name)}`}>${target.name}</a>
    <span class="address" title=${target.address}>${target.address}</span>
    <${About} target=${target} />
    <span class="master" title=${target.master ? `In term ${target.term}` : ''}>${target.master ?? html`<span class="muted">none</span>`}</span>
    <${Applied} target=${target} />
    <span class="tags">${target.tags.map((tag) => html`<span key=${tag} class="tag">${tag}</span>`)}</span>
  </div>`);

/** How far the device is; and how far it is to come, where that is further. */
function Applied({ target: { applied, committed } }) {
  const behind = applied !== committed;
  return html`<span class=${cls('index', behind && 'tone-busy')} title=${behind ? `Committed to #${committed}, applied to #${applied}` : ''}>${applied ? `#${applied}` : '–'}${behind && ` of #${committed}`}</span>`;
}

function About({ target }) {
  const drift = target.drift.length + target.drift_more;
  const words = [
    drift > 1 && count(drift, 'difference'),
    target.reason,
    target.waiting_for,
    !target.connected && !target.reason && 'not connected',
    target.fencing === 'store-only' && 'fencing: store-only',
  ].filter(Boolean).join('; ');
  return html`<span class="about" title=${words}>${words}</span>`;
}
