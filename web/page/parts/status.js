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

/** How many targets of a transaction stand how: a bar, in the order of PARTS, and the numbers. */
export const Spread = memo(({ counts, total }) => {
  const parts = Object.keys(PARTS).filter((word) => counts[word]);
  const words = parts.map((word) => `${counts[word]} ${word}`).join(', ');
  return html`
    <span class="spread" title=${`${count(total, 'target')}: ${words}`}>
      <span class="bar" aria-hidden="true">
        ${parts.map((word) => html`<i key=${word} class="fill tone-${PARTS[word].tone} part-${word}" style=${{ flexGrow: counts[word] }}></i>`)}
      </span>
      <span class="numbers">${parts.map((word) => html`
        <span key=${word} class="tone-${PARTS[word].tone}"><${Icon} name=${PARTS[word].icon} title=${word} />${counts[word].toLocaleString('en')}</span>`)}
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
        const { status, waiting_for: waits, error } = targets[name];
        const { icon, tone } = PARTS[status] ?? UNKNOWN;
        const more = error ? `: ${error.message}` : waits ? `: waits for ${waits}` : '';
        return html`<a key=${name} class="cell tone-${tone}" href=${`/targets/${encodeURIComponent(name)}`}
          title=${`${name} ${status}${more}`}><${Icon} name=${icon} title=${status} />${name}</a>`;
      })}
      ${names.length > shown.length && html`<span class="muted">and ${names.length - shown.length} more</span>`}
    </span>`;
});
