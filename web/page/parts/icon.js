// Shapes of 16 by 16, drawn in the colour of the text around them.
import { h } from '../lib.js';

const line = (d) => ['path', { d, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.6, 'stroke-linecap': 'round', 'stroke-linejoin': 'round' }];
const circle = (more = {}) => ['circle', { cx: 8, cy: 8, r: 6.2, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.6, ...more }];
const disc = circle({ fill: 'currentColor' });
const inside = (d) => ['path', { d, fill: 'none', stroke: 'var(--surface)', 'stroke-width': 1.8, 'stroke-linecap': 'round', 'stroke-linejoin': 'round' }];

const SHAPES = {
  check: [disc, inside('M5 8.2l2.1 2.1L11 6')],
  cross: [['path', { d: 'M5.2 1.5h5.6l3.7 3.7v5.6l-3.7 3.7H5.2l-3.7-3.7V5.2z', fill: 'currentColor' }], inside('M5.8 5.8l4.4 4.4m0-4.4l-4.4 4.4')],
  ring: [circle({ 'stroke-dasharray': '2.6 2.27' })],
  half: [circle(), ['path', { d: 'M8 1.8a6.2 6.2 0 010 12.4z', fill: 'currentColor' }]],
  most: [circle(), ['path', { d: 'M8 8V1.8A6.2 6.2 0 111.8 8z', fill: 'currentColor' }]],
  part: [['path', { d: 'M8 1.6l6.6 11.9H1.4z', fill: 'currentColor', stroke: 'currentColor', 'stroke-width': 1.4, 'stroke-linejoin': 'round' }], inside('M8 6.2v3.1m0 2.3v.01')],
  drift: [['path', { d: 'M8 1.2L14.8 8 8 14.8 1.2 8z', fill: 'currentColor' }], inside('M4.8 8.6c1.1-1.6 2.1-1.6 3.2-.5s2.1 1.1 3.2-.6')],
  sync: [line('M13.3 6.5A5.6 5.6 0 003.5 4.6M2.7 9.5a5.6 5.6 0 009.8 1.9'), line('M3.2 2v2.8H6M12.8 14v-2.8H10')],
  undo: [line('M3 5.5h6.5a3.8 3.8 0 010 7.6H5.5'), line('M6 2.5l-3 3 3 3')],
  pause: [circle(), line('M6.4 5.8v4.4m3.2-4.4v4.4')],
  slash: [circle(), line('M4 12L12 4')],
  search: [['circle', { cx: 7, cy: 7, r: 4.5, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.6 }], line('M10.5 10.5L14 14')],
  sun: [['circle', { cx: 8, cy: 8, r: 3, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.6 }], line('M8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M12.6 3.4l-.7.7M4.1 11.9l-.7.7')],
  moon: [line('M13.5 9.5A6 6 0 116.5 2.5a4.7 4.7 0 007 7z')],
  system: [['rect', { x: 1.8, y: 2.5, width: 12.4, height: 8.5, rx: 1.5, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.6 }], line('M5.5 13.8h5')],
  node: [['rect', { x: 2, y: 2.5, width: 12, height: 4.5, rx: 1.2, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.5 }], ['rect', { x: 2, y: 9, width: 12, height: 4.5, rx: 1.2, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.5 }], line('M4.8 4.8v.01M4.8 11.3v.01')],
  clock: [circle(), line('M8 4.6V8l2.2 1.6')],
  left: [line('M10 3.5L5.5 8l4.5 4.5')],
  right: [line('M6 3.5L10.5 8 6 12.5')],
  close: [line('M4 4l8 8m0-8l-8 8')],
  user: [['circle', { cx: 8, cy: 5.5, r: 2.8, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.6 }], line('M2.8 13.7c.8-2.6 2.8-3.9 5.2-3.9s4.4 1.3 5.2 3.9')],
};

/** A shape; for the eye alone, as a word stands beside it or it has a title. */
export function Icon({ name, title }) {
  const shape = SHAPES[name].map(([tag, attributes]) => h(tag, attributes));
  const label = title ? { role: 'img', 'aria-label': title } : { 'aria-hidden': 'true' };
  return h('svg', { class: `icon icon-${name}`, viewBox: '0 0 16 16', ...label }, title ? h('title', null, title) : null, shape);
}
