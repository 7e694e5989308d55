// How something stands: a shape, a word and a tone; and how far a transaction has spread.
import { html, memo } from '../lib.js';
import { PARTS, STAGES, STATES, STATUSES, byName, count } from '../words.js';
import { Icon } from './icon.js';

const UNKNOWN = { icon: 'ring', tone: 'idle', about: '' };

export function Badge({ of, word, large }) {
  const { icon, tone, about } = of[word] ?? UNKNOWN;
  return html`<span class="badge tone-${tone} ${large ? 'large' : ''}" title=${about}><${Icon} name=${icon} />${word}</span>`;
}

export const State = ({ word, large }) => html`<${Badge} of=${STATES} word=${word} large=${large} />`;
const EXACT_STATUSES = { ...STATUSES, ...STAGES };
const EXACT_PARTS = { ...PARTS, ...STAGES };
export const Status = ({ word, large }) => html`<${Badge} of=${EXACT_STATUSES} word=${word} large=${large} />`;
export const Part = ({ word }) => html`<${Badge} of=${EXACT_PARTS} word=${word} />`;

/** From what is done to what is refused. */
const ORDER = ['applied', 'accepted', 'pending', 'withdrawn', 'undone', 'refused'];

/** How many targets of a transaction stand how, most exactly: those on trial are not among those that nothing has reached. */
export function standings({ counts, stages }) {
  const { accepted = 0 } = stages ?? {};
  const numbers = { ...counts, pending: (counts.pending ?? 0) - accepted, accepted };
  return ORDER.filter((word) => numbers[word] > 0).map((word) => [word, numbers[word]]);
}

/** The standings of a transaction: a bar, and the numbers. */
export const Spread = memo(({ counts, stages, total }) => {
  const parts = standings({ counts, stages });
  const words = parts.map(([word, number]) => `${number} ${word}`).join(', ');
  return html`
    <span class="spread" title=${`${count(total, 'target')}: ${words}`}>
      <span class="bar" aria-hidden="true">
        ${parts.map(([word, number]) => html`<i key=${word} class="fill tone-${EXACT_PARTS[word].tone} part-${word}" style=${{ flexGrow: number }}></i>`)}
      </span>
      <span class="numbers">${parts.map(([word, number]) => html`
        <span key=${word} class="tone-${EXACT_PARTS[word].tone}"><${Icon} name=${EXACT_PARTS[word].icon} title=${word} />${number.toLocaleString('en')}</span>`)}
      </span>
    </span>`;
});

/** Each target of a transaction, as a small cell with its name. */
export const Cells = memo(({ targets, most }) => {
  const names = Object.keys(targets).sort(byName);
  const shown = names.slice(0, most);
  return html`
    <span class="cells">
      ${shown.map((name) => {
        const { stage, status, waiting_for: waits, error } = targets[name];
        const word = stage ?? status;
        const { icon, tone } = EXACT_PARTS[word] ?? UNKNOWN;
        const more = error ? `: ${error.message}` : waits ? `: waits for ${waits}` : '';
        return html`<a key=${name} class="cell tone-${tone}" href=${`/targets/${encodeURIComponent(name)}`}
          title=${`${name} ${word}${more}`}><${Icon} name=${icon} title=${word} />${name}</a>`;
      })}
      ${names.length > shown.length && html`<span class="muted">and ${names.length - shown.length} more</span>`}
    </span>`;
});
