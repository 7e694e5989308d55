// Markdown, as far as the documentation uses it, drawn as elements: text never becomes markup.
import { h } from './lib.js';

const FENCE = /^\s*```(.*)$/;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const ITEM = /^(\s*)([-*+]|\d+[.)])\s+(.*)$/;
const TABLE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

/** What a heading is called in addresses, as GitHub does it. */
export const slug = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').trim().replace(/\s/g, '-');

/** Elements for a text; `link` says where a link leads from here, or nothing if it leads nowhere. */
export function draw(text, link = (to) => to) {
  const all = text.replace(/\r\n?/g, '\n').split('\n');
  return blocks(all, link);
}

function blocks(all, link) {
  const out = [];
  let at = 0;
  while (at < all.length) {
    const line = all[at];
    if (!line.trim()) {
      at += 1;
      continue;
    }
    const [element, next] = block(all, at, link);
    out.push(element);
    at = next;
  }
  return out;
}

/** The block that begins at a line, and where the next one may. */
function block(all, at, link) {
  const line = all[at];
  if (FENCE.test(line)) return fenced(all, at);
  if (/^( {4}|\t)/.test(line)) return indented(all, at);
  const heading = HEADING.exec(line);
  if (heading) return [h(`h${heading[1].length}`, { id: slug(plain(heading[2])) }, inline(heading[2], link)), at + 1];
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) return [h('hr', null), at + 1];
  if (/^\s*>/.test(line)) return quoted(all, at, link);
  if (line.includes('|') && TABLE.test(all[at + 1] ?? '')) return table(all, at, link);
  if (ITEM.test(line)) return list(all, at, link);
  if (/^\s*<!--/.test(line)) return comment(all, at);
  return paragraph(all, at, link);
}

/** From a line on, those of which something holds; and where that ends. */
function run(all, at, holds) {
  let end = at;
  while (end < all.length && holds(all[end], end)) end += 1;
  return [all.slice(at, end), end];
}

function fenced(all, at) {
  const [inside, end] = run(all, at + 1, (line) => !/^\s*```\s*$/.test(line));
  return [h('pre', null, h('code', { class: `of-${all[at].trim().slice(3) || 'text'}` }, inside.join('\n'))), end + 1];
}

function indented(all, at) {
  const [inside, end] = run(all, at, (line, here) => /^( {4}|\t)/.test(line) || (!line.trim() && /^( {4}|\t)/.test(all[here + 1] ?? '')));
  return [h('pre', null, h('code', null, inside.map((line) => line.replace(/^( {4}|\t)/, '')).join('\n'))), end];
}

function quoted(all, at, link) {
  const [inside, end] = run(all, at, (line) => /^\s*>/.test(line));
  return [h('blockquote', null, blocks(inside.map((line) => line.replace(/^\s*> ?/, '')), link)), end];
}

function comment(all, at) {
  const [, end] = run(all, at, (line) => !line.includes('-->'));
  return [null, end + 1];
}

function cells(line) {
  const inside = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  // A bar in code, or behind a stroke, is no border.
  return inside.split(/(?<!\\)\|(?=(?:[^`]*`[^`]*`)*[^`]*$)/).map((cell) => cell.trim().replace(/\\\|/g, '|'));
}

function table(all, at, link) {
  const [rows, end] = run(all, at + 2, (line) => line.includes('|') && line.trim());
  const ways = cells(all[at + 1]).map((cell) => (/^:-+:$/.test(cell) ? 'center' : /-:$/.test(cell) ? 'right' : null));
  const row = (line, tag) => h('tr', null, cells(line).map((cell, column) => h(tag, { class: ways[column] ? `to-${ways[column]}` : null }, inline(cell, link))));
  const head = cells(all[at]).some(Boolean) ? h('thead', null, row(all[at], 'th')) : null;
  return [h('div', { class: 'table-box', tabindex: 0, role: 'group', 'aria-label': 'Table' }, h('table', null, head, h('tbody', null, rows.map((line) => row(line, 'td'))))), end];
}

function list(all, at, link) {
  const [, indent, mark] = ITEM.exec(all[at]);
  const items = [];
  let end = at;
  while (end < all.length) {
    const item = ITEM.exec(all[end]);
    if (!item || item[1].length !== indent.length || /\d/.test(item[2]) !== /\d/.test(mark)) break;
    const inner = indent.length + item[2].length + 1;
    const [rest, next] = run(all, end + 1, (line, here) => {
      if (!line.trim()) return /^\s/.test(all[here + 1] ?? '') && all[here + 1].search(/\S/) >= inner;
      return line.search(/\S/) > indent.length || (!ITEM.test(line) && !/^\S/.test(line));
    });
    const inside = [item[3], ...rest.map((line) => line.slice(Math.min(inner, Math.max(0, line.search(/\S/)))))];
    const drawn = blocks(inside, link);
    const tight = drawn.length > 0 && drawn[0]?.type === 'p';
    items.push(h('li', null, tight ? [drawn[0].props.children, drawn.slice(1)] : drawn));
    end = next;
    while (end < all.length && !all[end].trim() && ITEM.exec(all[end + 1] ?? '')?.[1].length === indent.length) end += 1;
  }
  return [h(/\d/.test(mark) ? 'ol' : 'ul', null, items), end];
}

function paragraph(all, at, link) {
  const ends = (line) => !line.trim() || FENCE.test(line) || HEADING.test(line) || /^\s*>/.test(line) || ITEM.test(line);
  const [inside, end] = run(all, at, (line, here) => here === at || !ends(line));
  return [h('p', null, inline(inside.map((line) => line.trim()).join('\n'), link)), end];
}

/** The text of inline Markdown, without its marks. */
export const plain = (text) => text.replace(/`([^`]*)`/g, '$1').replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/\*\*|__|\*/g, '');

const INLINE = [
  [/^(`+)(.+?)\1(?!`)/s, ([, , code]) => h('code', null, code.replace(/\n/g, ' ').replace(/^ (.*) $/, '$1'))],
  [/^!\[([^\]]*)\]\(([^)\s]+)[^)]*\)/, ([, about, to], link) => h('img', { src: link(to, true), alt: about, loading: 'lazy' })],
  [/^\[((?:`[^`]*`|[^\]`])*)\]\(([^)\s]+)[^)]*\)/, ([, words, to], link) => anchor(words, to, link)],
  [/^<(https?:\/\/[^>\s]+)>/, ([, to], link) => anchor(to, to, link)],
  [/^\*\*(.+?)\*\*/s, ([, words], link) => h('strong', null, inline(words, link))],
  [/^[*](?!\s)(.+?)(?<!\s)[*]/s, ([, words], link) => h('em', null, inline(words, link))],
  [/^_(?!\s)(.+?)(?<!\s)_(?!\w)/s, ([, words], link) => h('em', null, inline(words, link))],
  [/^\\([\\`*_{}[\]()#+.!|<>-])/, ([, char]) => char],
];
const SPECIAL = /[`!\[<*_\\]/;

function anchor(words, to, link) {
  const href = link(to);
  if (!href) return h('span', { title: to }, inline(words, link));
  const outside = /^https?:/.test(href);
  return h('a', outside ? { href, rel: 'noreferrer', target: '_blank' } : { href }, outside && words === to ? words : inline(words, link));
}

/** Text with code, links and emphasis. */
export function inline(text, link) {
  const out = [];
  let rest = text;
  let before = '';
  const take = (count) => {
    before += rest.slice(0, count);
    rest = rest.slice(count);
  };
  while (rest) {
    const inWord = /\w$/.test(before) && rest[0] === '_';
    const found = inWord ? null : INLINE.map(([pattern, make]) => [pattern.exec(rest), make]).find(([match]) => match);
    if (found) {
      if (before) out.push(before);
      before = '';
      out.push(found[1](found[0], link));
      rest = rest.slice(found[0][0].length);
    } else {
      const next = rest.slice(1).search(SPECIAL);
      take(next < 0 ? rest.length : next + 1);
    }
  }
  if (before) out.push(before);
  return out;
}
