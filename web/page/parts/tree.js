// A configuration as text, the way YAML has it: one line for each leaf, and only the lines on the screen are drawn.
import { html, useCallback, useMemo } from '../lib.js';
import { Rows } from './virtual.js';

const LINE = 20;
/** What a list entry is most often known by, so it stands first. */
const KEYS = ['name', 'id', 'index', 'key', 'prefix', 'address'];

const bare = (name) => name.slice(name.indexOf(':') + 1);

function members(value) {
  const rank = ([name]) => {
    const at = KEYS.indexOf(bare(name));
    return at < 0 ? KEYS.length : at;
  };
  return Object.entries(value).sort((one, other) => rank(one) - rank(other));
}

const isScalar = (value) => typeof value !== 'object' || value === null;
/** RFC 7951 writes an empty leaf as [null]. */
const isEmptyLeaf = (value) => Array.isArray(value) && value.length === 1 && value[0] === null;

/** Each line: how deep it is, what it is called, what it holds, and where it is, without the keys of list entries. */
export function lines(value, depth = 0, path = '') {
  return members(value).flatMap(([name, inside]) => {
    const here = `${path}/${bare(name)}`;
    if (isEmptyLeaf(inside)) return [{ depth, name, value: '', path: here }];
    if (isScalar(inside)) return [{ depth, name, value: String(inside), path: here }];
    if (!Array.isArray(inside)) return [{ depth, name, path: here }, ...lines(inside, depth + 1, here)];
    if (inside.every(isScalar)) return [{ depth, name, value: inside.join(', '), path: here, many: true }];
    return [{ depth, name, path: here }, ...inside.flatMap((entry) => entries(entry, depth, here))];
  });
}

function entries(entry, depth, path) {
  const [first, ...rest] = lines(entry, depth + 2, path);
  return first ? [{ ...first, entry: true }, ...rest] : [];
}

/** The leaves that hold some words, below what they are in: containers, lists, and the first line of each entry. */
export function matching(all, words) {
  const found = [];
  let above = [];
  for (const line of all) {
    above = above.filter((one) => one.depth < line.depth || (one.depth === line.depth && one.entry && !line.entry));
    const fits = `${line.path} ${line.value ?? ''}`.toLowerCase().includes(words) && line.value !== undefined;
    if (fits) {
      for (const one of above) if (!one.taken) found.push(one.line);
      for (const one of above) one.taken = true;
      found.push(line);
    }
    if (line.entry || line.value === undefined) above.push({ depth: line.depth, entry: line.entry, line, taken: fits });
  }
  return found;
}

export function Tree({ value, words = '' }) {
  const all = useMemo(() => lines(value), [value]);
  const shown = useMemo(() => (words ? matching(all, words.toLowerCase()) : all), [all, words]);
  const row = useCallback((index) => html`<${Line} line=${shown[index]} />`, [shown]);
  const id = useCallback((index) => `${index} ${shown[index].path}`, [shown]);
  if (!all.length) return html`<p class="muted nothing">Nothing is configured.</p>`;
  if (!shown.length) return html`<p class="muted nothing">No line is like that.</p>`;
  return html`<div class="tree" tabindex="0" role="group" aria-label="Configuration"><${Rows} count=${shown.length} height=${LINE} row=${row} id=${id} inside label="Lines" /></div>`;
}

function Line({ line }) {
  const at = line.name.indexOf(':');
  const name = html`${line.entry && html`<span class="muted">- </span>`}<span class="muted">${line.name.slice(0, at + 1)}</span><span class="name">${line.name.slice(at + 1)}</span>`;
  const indent = line.depth * 2 - (line.entry ? 2 : 0);
  return html`<code style=${{ paddingLeft: `${indent}ch` }} title=${line.path}>${name}<span class="muted">: </span>${line.many && html`<span class="muted">[</span>`}${line.value !== undefined && html`<span class="value">${line.value}</span>`}${line.many && html`<span class="muted">]</span>`}</code>`;
}
