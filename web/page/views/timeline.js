// The log, latest first and live: how each transaction stands, and how far it has spread, target by target.
import { html, memo, useCallback, useEffect, useMemo, useRef, useState } from '../lib.js';
import { get } from '../api.js';
import { useLog } from '../log.js';
import { Icon } from '../parts/icon.js';
import { Refused, read } from '../parts/notice.js';
import { Cells, Spread, Status } from '../parts/status.js';
import { Search } from '../parts/search.js';
import { Rows, useNarrow } from '../parts/virtual.js';
import { Window } from '../parts/window.js';
import { ask, usePlace, useTitle } from '../router.js';
import { KINDS, STATUSES, clock, took, zone } from '../words.js';

const FIELDS = ['target', 'author', 'comment'];
/** With more targets, the bar is what is shown here, and the page of the transaction has them. */
const FEW = 48;

/** Where in the log to begin: an index, or a time. Nothing, if it is neither. */
export function start(text) {
  const index = /^#?(\d+)$/.exec(text.trim());
  if (index) return { before: Number(index[1]) + 1 };
  const time = Date.parse(text);
  return Number.isNaN(time) ? {} : { until: new Date(time).toISOString() };
}

export function Timeline() {
  useTitle('Transactions');
  const { query } = usePlace();
  const filter = useMemo(() => {
    const given = [...FIELDS, 'status', 'kind'].map((name) => [name, query.get(name) ?? '']);
    return { ...Object.fromEntries(given.filter(([, text]) => text)), ...start(query.get('from') ?? '') };
  }, [query.toString()]);
  const told = useCallback((taken) => {
    for (const one of taken) read(`Transaction ${one.index} ${one.status}`);
  }, []);
  const { list, synced, complete, error, more } = useLog(filter, told);
  return html`
    <div class="bar-of-tools">
      <h1>Transactions</h1>
      <${Filter} query=${query} />
    </div>
    <${Refused} error=${error} />
    <${List} list=${list} synced=${synced} more=${more} filtered=${Object.keys(filter).length > 0} />
    ${list.length > 0 && html`<p class="muted end">${complete ? 'That is all that the log has.' : 'Further back as you scroll.'}</p>`}`;
}

/** So long nobody writes before the node is asked. */
const PAUSE = 400;

function Filter({ query }) {
  const any = [...FIELDS, 'status', 'kind', 'from'].some((name) => query.get(name));
  const from = query.get('from') ?? '';
  return html`
    <label class="field search"><${Icon} name="search" /><span class="unseen">In the comment</span>
      <${Search} name="comment" wait=${PAUSE} data-filter placeholder="Comment" /></label>
    ${['target', 'author'].map((name) => html`
      <label key=${name} class="field"><span class="unseen">${name}</span>
        <${Search} name=${name} wait=${PAUSE} size="10" placeholder=${name === 'target' ? 'Target' : 'Author'} /></label>`)}
    ${[['status', Object.keys(STATUSES)], ['kind', KINDS]].map(([name, words]) => html`
      <label key=${name} class="field"><span>${name === 'status' ? 'Status' : 'Kind'}</span>
        <select value=${query.get(name) ?? ''} onChange=${(event) => ask({ [name]: event.target.value })}>
          <option value="">any</option>
          ${words.map((word) => html`<option key=${word} value=${word}>${word}</option>`)}
        </select></label>`)}
    <label class="field"><span>From</span>
      <${Search} name="from" wait=${PAUSE} size="11" placeholder="index or time" title="Begin further back: at an index such as 1200, or a time such as 2026-11-16 08:00"
        aria-invalid=${from !== '' && !Object.keys(start(from)).length} /></label>
    ${any && html`<button class="plain" onClick=${() => ask({ comment: '', target: '', author: '', status: '', kind: '', from: '' })}>Clear the filter</button>`}`;
}

function List({ list, synced, more, filtered }) {
  const narrow = useNarrow();
  const row = useCallback((index) => html`<${Entry} one=${list[index]} />`, [list]);
  const id = useCallback((index) => list[index].index, [list]);
  if (!synced && !list.length) return html`<p class="muted wait">Asking the node…</p>`;
  if (!list.length) {
    return filtered
      ? html`<div class="empty"><h3>No transaction is like that</h3><p>The filter leaves nothing of the log.</p></div>`
      : html`<div class="empty"><h3>The log is empty</h3><p>Nothing was changed yet. The first change is <a href="/change">one file away</a>.</p></div>`;
  }
  return html`
    <div class="card table log">
      <div class="head" aria-hidden="true"><span>Index</span><span>Status</span><span>What</span><span>Author</span><span>Targets</span><span class="right">Submitted (${zone()})</span><span class="right">Took</span></div>
      <${Rows} count=${list.length} height=${narrow ? 86 : 58} row=${row} id=${id} end=${more} label="Transactions" />
    </div>`;
}

const Entry = memo(({ one }) => html`
  <div class="cols">
    <a class="lead index" href=${`/transactions/${one.index}`}>#${one.index}</a>
    <${Status} word=${one.stage ?? one.status} />
    <${What} one=${one} />
    <span class="author">${one.author}</span>
    <${Spread} counts=${one.counts} stages=${one.stages} total=${one.target_count} />
    <time class="right" datetime=${one.submitted} title=${one.submitted}>${clock(one.submitted)}</time>
    <span class="right muted took">${took(one)}</span>
    <span class="below"><${Below} one=${one} /></span>
  </div>`);

function What({ one }) {
  const of = one.of ?? one.to;
  return html`
    <span class="what" title=${one.comment}>
      <span class="kind">${one.kind}</span>
      ${of && html` <a href=${`/transactions/${of}`}>#${of}</a>`}
      ${one.mode === 'queued' && html` <span class="tag">queued</span>`}
      ${' '}<${Window} one=${one} />${one.comment}
    </span>`;
}

/** The targets, or why it did not go well. */
function Below({ one }) {
  const targets = useTargets(one);
  const why = one.error ? one.error.message : one.waiting_for ? `waits for ${one.waiting_for}` : '';
  return html`
    ${targets && html`<${Cells} targets=${targets} most=${FEW} />`}
    ${why && html`<span class=${one.error ? 'why tone-bad' : 'why tone-busy'} title=${why}>${why}</span>`}`;
}

/** The targets of a transaction that is on the screen, asked for when it moved on. */
function useTargets(one) {
  const [found, see] = useState(null);
  const shown = useRef(true);
  const few = one.target_count <= FEW;
  useEffect(() => () => { shown.current = false; }, []);
  useEffect(() => {
    if (!few) return undefined;
    // Whoever scrolls past does not ask.
    const timer = setTimeout(async () => {
      try {
        const { targets } = await get(`/transactions/${one.index}`);
        if (shown.current) see(targets);
      } catch {
        // The numbers are there all the same.
      }
    }, found ? 0 : 80);
    return () => clearTimeout(timer);
  }, [one]);
  return few ? found : null;
}
