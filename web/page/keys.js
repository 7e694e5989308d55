// Keys for those who would rather not reach for a mouse; the dialog lists them.
import { html, useEffect } from './lib.js';
import { Dialog } from './parts/dialog.js';
import { step } from './parts/virtual.js';
import { go } from './router.js';
import { next } from './theme.js';

const focusFilter = () => document.querySelector('[data-filter]')?.focus();

const KEYS = [
  ['g n', 'The network', () => go('/')],
  ['g t', 'Transactions', () => go('/transactions')],
  ['g c', 'A change', () => go('/change')],
  ['g d', 'The documentation', () => go('/docs')],
  ['/', 'Filter what is shown', focusFilter],
  ['j', 'The next row', () => step(1)],
  ['k', 'The row before', () => step(-1)],
  ['d', 'Dark, light, or as the system has it', next],
];
const PREFIXES = new Set(KEYS.filter(([keys]) => keys.includes(' ')).map(([keys]) => keys[0]));

const isWriting = (element) => element.closest?.('input, textarea, select, [contenteditable]');

export function useKeys(help) {
  useEffect(() => {
    let prefix = '';
    const press = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
      if (isWriting(event.target)) {
        if (event.key === 'Escape') event.target.blur();
        return;
      }
      const keys = prefix ? `${prefix} ${event.key}` : event.key;
      prefix = !prefix && PREFIXES.has(event.key) ? event.key : '';
      const found = KEYS.find(([known]) => known === keys);
      if (event.key === '?') help();
      else if (found) found[2]();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

export function Help({ close }) {
  return html`
    <${Dialog} title="Keys" close=${close}>
      <dl class="keys">
        ${[...KEYS, ['Enter', 'Open the row', null], ['Esc', 'Leave a field, close a dialog', null], ['?', 'This list', null]].map(([keys, about]) => html`
          <div key=${keys}><dt>${keys.split(' ').map((key) => html`<kbd key=${key}>${key}</kbd>`)}</dt><dd>${about}</dd></div>`)}
      </dl>
    <//>`;
}
