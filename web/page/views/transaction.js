// One transaction in full: who, when, what, how far it is on each target, why it failed, and what can be done about it.
import { cls, html, useCallback, useMemo, useState } from '../lib.js';
import { get } from '../api.js';
import { ENOUGH } from '../events.js';
import { now, stir, summary, useWatch } from '../live.js';
import { useAnswer } from '../parts/act.js';
import { Diff } from '../parts/diff.js';
import { Icon } from '../parts/icon.js';
import { Refused, read, useTicking } from '../parts/notice.js';
import { Search } from '../parts/search.js';
import { Part, Spread, Status } from '../parts/status.js';
import { Rows } from '../parts/virtual.js';
import { ask, usePlace, useTitle } from '../router.js';
import { may } from '../session.js';
import { useStore } from '../store.js';
import { PARTS, byName, clock, count, isOpen, length, zone } from '../words.js';
import { Cancel, Confirm, Restore, Rollback } from './takeback.js';

/** What can be rolled back. What a device had when it was first met is adopted too, and stays: the node says so. */
const WRITES = ['change', 'restore', 'adopt'];
/** With so few targets, all of their differences are shown at once. */
const FEW = 12;

export function Transaction({ index }) {
  useTitle(`Transaction ${index}`);
  const [one, see] = useState(null);
  const [error, fail] = useState(null);
  const take = useCallback((found) => {
    see((before) => {
      if (before && before.status !== found.status) read(`Transaction ${found.index} ${found.status}`);
      return found;
    });
    stir();
  }, []);
  useWatch(index, '/watch/transactions', { index }, () => ({
    state: (state) => (state.is === 'refused' ? fail(state.error) : fail(null)),
    event: (name, data) => {
      if (name !== 'transaction') return undefined;
      take(data);
      return isOpen(data) || data.window === 'open' ? undefined : ENOUGH;
    },
  }));
  if (error && !one) return html`<${Head} index=${index} /><${Refused} error=${error} />`;
  if (!one) return html`<p class="muted wait">Asking the node…</p>`;
  return html`
    <${Head} index=${index} one=${one} />
    <${Outcome} one=${one} take=${take} />
    <div class="sides">
      <${Facts} one=${one} />
      <${Phases} one=${one} />
    </div>
    <${Targets} one=${one} />`;
}

function Head({ index, one }) {
  const [asked, ask] = useState(null);
  const close = () => ask(null);
  const number = Number(index);
  const head = useStore(summary)?.head ?? 0;
  const standing = one && ['applied', 'partial'].includes(one.status) && !one.rolled_back_by;
  return html`
    <div class="title">
      <a class="plain-link" href="/transactions"><${Icon} name="left" />Transactions</a>
      <h1><span class="index">#${index}</span> ${one && html`<span class="kind">${one.kind}</span>`} ${one && html`<${Status} word=${one.stage ?? one.status} large />`}</h1>
      <div class="buttons">
        ${number > 1 && html`<${Beside} index=${number - 1} says="The one before" icon="left" />`}
        ${number < head && html`<${Beside} index=${number + 1} says="The next one" />`}
        ${one && !isOpen(one) && may('operate') && html`<button onClick=${() => ask('restore')} title="Take targets back to how they stood after this transaction">Restore to here…</button>`}
        ${standing && WRITES.includes(one.kind) && may('operate') && html`<button onClick=${() => ask('rollback')}>Roll back…</button>`}
      </div>
      ${one?.comment && html`<p class="comment">${one.comment}</p>`}
    </div>
    ${asked === 'rollback' && html`<${Rollback} one=${one} close=${close} />`}
    ${asked === 'restore' && html`<${Restore} one=${one} close=${close} />`}`;
}

/** A neighbour in the log. */
const Beside = ({ index, says, icon }) => html`
  <a class="button beside" href=${`/transactions/${index}`} title=${says} aria-label=${`${says}, #${index}`}>
    ${icon && html`<${Icon} name=${icon} />`}<span class="index">#${index}</span>${!icon && html`<${Icon} name="right" />`}</a>`;

/** Why it failed, what it waits for, until when it has to be confirmed. */
function Outcome({ one, take }) {
  const [asked, ask] = useState(null);
  const close = () => ask(null);
  const waits = isOpen(one) && one.waiting_for;
  const mayEnd = may('operate') || may('change');
  return html`
    ${one.error && html`
      <div class="callout tone-bad"><${Icon} name="cross" /><div>
        <p><strong>${one.status === 'partial' ? 'Not everywhere' : 'It failed'}</strong> <code class="muted">${one.error.code}</code></p>
        ${reasons(one.error).map((reason) => html`<p key=${reason}>${reason}</p>`)}</div></div>`}
    ${waits && html`
      <div class="callout tone-busy"><${Icon} name="clock" /><div><p><strong>It waits</strong></p><p>${one.waiting_for}</p></div>
        ${mayEnd && html`<button onClick=${() => ask('cancel')}>Cancel…</button>`}</div>`}
    ${isOpen(one) && !waits && html`
      <div class="callout tone-busy"><${Icon} name="sync" /><div><p><strong>Under way</strong></p>
        <p>${count(Object.values(one.targets).filter(({ status }) => status === 'pending').length, 'target')} to go.</p></div>
        ${mayEnd && html`<button onClick=${() => ask('cancel')}>Cancel…</button>`}</div>`}
    ${one.window === 'open' && html`<${Open} one=${one} ask=${mayEnd && ask} />`}
    ${one.rolled_back_by && html`
      <div class="callout tone-undo"><${Icon} name="undo" /><div><p><strong>Rolled back</strong> by <a href=${`/transactions/${one.rolled_back_by}`}>#${one.rolled_back_by}</a></p></div></div>`}
    ${asked === 'cancel' && html`<${Cancel} one=${one} close=${close} done=${take} />`}
    ${asked === 'confirm' && html`<${Confirm} one=${one} close=${close} done=${take} />`}`;
}

/** What went wrong, target by target; with the path that it is about, unless its words have it. */
const reasons = ({ path, message }) => `${path && !message.includes(path) ? `${path} ` : ''}${message}`.split(/; (?=target |and \d+ more$)/);

/** The path that an error is about, unless its words have it. */
const Where = ({ error }) => (error.path && !error.message.includes(error.path) ? html`<code>${error.path}</code> ` : null);

/** The window, counting down by the node's clock. */
function Open({ one, ask }) {
  useTicking();
  const left = Math.max(0, Date.parse(one.confirm_until) - now());
  return html`
    <div class="callout tone-warn countdown"><${Icon} name="clock" />
      <div>
        <p><strong>Reverted in <span class="left" role="timer">${left >= 1000 ? length(Math.floor(left / 1000) * 1000) : 'a moment'}</span></strong> unless somebody confirms it.</p>
        <p class="muted">Until ${clock(one.confirm_until)}. Until then nothing else is changed on its targets.</p>
      </div>
      ${ask && html`<div class="buttons"><button onClick=${() => ask('cancel')}>Cancel…</button><button class="primary" onClick=${() => ask('confirm')}>Confirm…</button></div>`}
    </div>`;
}

function Facts({ one }) {
  const of = one.of ?? one.to;
  const facts = [
    ['By', one.author || html`<span class="muted">nobody was asked</span>`],
    ['Kind', html`${one.kind}${of ? html` ${one.of ? 'of' : 'to'} <a href=${`/transactions/${of}`}>#${of}</a>` : ''}, ${one.mode}`],
    ['Window', one.window],
    ['Id', html`<code>${one.id}</code>`],
  ];
  return html`
    <section class="card facts" aria-label="Facts">
      <dl>${facts.filter(([, value]) => value).map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
    </section>`;
}

/** The way it went: when it came to each phase, and how far it has spread. */
function Phases({ one }) {
  useTicking(isOpen(one));
  const begun = Date.parse(one.submitted);
  const after = (time) => `${clock(time)}, after ${length(Date.parse(time) - begun)}`;
  const ends = !isOpen(one);
  const steps = [
    ['Submitted', `${clock(one.submitted)} ${zone()}`, true, 'ok'],
    [one.status === 'rejected' ? 'Decided against' : 'Decided', one.decided ? after(one.decided) : ends ? 'never' : 'not yet', Boolean(one.decided), one.status === 'rejected' ? 'bad' : 'ok'],
    [ends ? `Outcome: ${one.status}` : `Now: ${one.stage ?? one.status}`, one.finished ? after(one.finished) : `for ${length(now() - begun)}${one.deadline ? `, given up at ${clock(one.deadline)}` : ''}`, ends, one.status === 'applied' ? 'ok' : ends ? 'bad' : 'busy'],
  ];
  return html`
    <section class="card phases" aria-label="Phases">
      <ol>${steps.map(([name, when, done, tone]) => html`
        <li key=${name} class=${cls(done ? `done tone-${tone}` : 'tone-busy')}><strong>${name}</strong><span class="muted">${when}</span></li>`)}</ol>
      <${Spread} counts=${one.counts} stages=${one.stages} total=${one.target_count} />
    </section>`;
}

/** Who did not go along comes first. */
const ORDER = ['refused', 'withdrawn', 'pending', 'undone', 'applied'];

function Targets({ one }) {
  const { query } = usePlace();
  const words = query.get('q') ?? '';
  const status = query.get('status') ?? '';
  const names = useMemo(() => {
    const rank = (name) => ORDER.indexOf(one.targets[name].status);
    return Object.keys(one.targets)
      .filter((name) => name.includes(words) && (!status || one.targets[name].status === status))
      .sort((a, b) => rank(a) - rank(b) || byName(a, b));
  }, [one, words, status]);
  const many = one.target_count > FEW;
  return html`
    <section aria-label="Targets">
      <div class="bar-of-tools">
        <h2>${count(one.target_count, 'target')}</h2>
        ${many && html`
          <label class="field search"><${Icon} name="search" /><span class="unseen">Filter by name</span>
            <${Search} name="q" data-filter placeholder="Name" /></label>
          <label class="field"><span>Status</span>
            <select value=${status} onChange=${(event) => ask({ status: event.target.value })}>
              <option value="">any</option>
              ${Object.keys(PARTS).filter((word) => one.counts[word]).map((word) => html`<option key=${word} value=${word}>${word} (${one.counts[word]})</option>`)}
            </select></label>`}
      </div>
      ${many ? html`<${Many} one=${one} names=${names} chosen=${query.get('target')} />` : html`<${Few} one=${one} names=${names} />`}
    </section>`;
}

/** What changes is known from the decision on. */
const version = (one) => `${Boolean(one.decided)} ${isOpen(one)}`;

function Few({ one, names }) {
  const { value, error } = useAnswer((signal) => get(`/transactions/${one.index}/changes`, {}, signal), [one.index], version(one));
  return html`
    <${Refused} error=${error} />
    ${names.map((name) => html`<${OnTarget} key=${name} name=${name} part=${one.targets[name]} changes=${value?.[name]} known=${value !== null} />`)}`;
}

/** Of a transaction on one target: it was asked for, and is not there. */
const GONE = ['refused', 'withdrawn', 'undone'];

function OnTarget({ name, part, changes, known }) {
  return html`
    <section class="card of-target">
      <h3><a href=${`/targets/${encodeURIComponent(name)}`}>${name}</a> <${Part} word=${part.stage ?? part.status} /></h3>
      <${Why} part=${part} />
      ${changes?.length > 0 && GONE.includes(part.status) && html`<p class="muted small gone">What was asked for; nothing of it is left here.</p>`}
      ${known && html`<${Diff} changes=${changes ?? []} none="It changes nothing of the configuration here." />`}
    </section>`;
}

function Why({ part }) {
  return html`
    ${part.error && html`<div class="note tone-bad"><${Icon} name="cross" /><p><${Where} error=${part.error} /><strong>${part.error.code}</strong> ${part.error.message}</p></div>`}
    ${part.waiting_for && html`<div class="note tone-busy"><${Icon} name="clock" /><p>waits for ${part.waiting_for}</p></div>`}`;
}

/** A list, and beside it the one that is chosen. */
function Many({ one, names, chosen }) {
  const shown = chosen && one.targets[chosen] ? chosen : names[0];
  const row = useCallback((index) => {
    const name = names[index];
    const part = one.targets[name];
    return html`<button class="lead choice" aria-pressed=${name === shown} onClick=${() => ask({ target: name })}
      title=${part.error?.message ?? part.waiting_for ?? ''}><span>${name}</span><${Part} word=${part.stage ?? part.status} /></button>`;
  }, [names, one, shown]);
  const id = useCallback((index) => names[index], [names]);
  const { value, error } = useAnswer((signal) => (shown ? get(`/transactions/${one.index}/changes`, { target: shown }, signal) : {}), [one.index, shown], version(one));
  if (!names.length) return html`<p class="empty small">No target is like that.</p>`;
  return html`
    <div class="panes">
      <div class="card list"><${Rows} count=${names.length} height=${32} row=${row} id=${id} inside label="Targets" /></div>
      <div>
        <${Refused} error=${error} />
        <${OnTarget} name=${shown} part=${one.targets[shown]} changes=${value?.[shown]} known=${value !== null && shown in value} />
      </div>
    </div>`;
}
