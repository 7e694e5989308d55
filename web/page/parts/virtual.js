// A list of any length, of which only what is on the screen is drawn. All rows are of one height.
import { html, useEffect, useLayoutEffect, useRef, useState } from '../lib.js';

const MORE = 8;

/** Whether the window is as narrow as a phone. */
export function useNarrow() {
  const query = useRef(null);
  query.current ??= matchMedia('(max-width: 720px)');
  const [narrow, see] = useState(query.current.matches);
  useEffect(() => {
    const look = () => see(query.current.matches);
    query.current.addEventListener('change', look);
    return () => query.current.removeEventListener('change', look);
  }, []);
  return narrow;
}

/**
 * Rows 0 to `count` of `height` pixels each, drawn by `row(index)` with a key of `key(index)`. Scrolls with the window,
 * or by itself if it is `inside` something of a height of its own. Tells by `end` that the end is near.
 */
export function Rows({ count, height, row, id, inside = false, end, label }) {
  const box = useRef(null);
  const [range, see] = useState([0, 40]);

  useLayoutEffect(() => {
    const look = () => {
      if (!box.current) return;
      const top = inside ? box.current.parentElement.scrollTop : -box.current.getBoundingClientRect().top;
      const seen = inside ? box.current.parentElement.clientHeight : innerHeight;
      const first = Math.max(0, Math.floor(top / height) - MORE);
      const last = Math.min(count, Math.ceil((top + seen) / height) + MORE);
      see((before) => (before[0] === first && before[1] === last ? before : [first, Math.max(first, last)]));
      if (last >= count - MORE) end?.();
    };
    const scrolls = inside ? box.current.parentElement : window;
    look();
    scrolls.addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      scrolls.removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [count, height, inside, end]);

  const shown = [];
  for (let index = range[0]; index < Math.min(range[1], count); index += 1) {
    shown.push(html`
      <div role="listitem" class="row" key=${id(index)} aria-posinset=${index + 1} aria-setsize=${count}
        style=${{ height: `${height}px`, transform: `translateY(${index * height}px)` }}>${row(index)}</div>`);
  }
  return html`<div class="rows" role="list" aria-label=${label} ref=${box} style=${{ height: `${count * height}px` }}>${shown}</div>`;
}

/** Moves the focus from row to row. */
export function step(by) {
  const links = [...document.querySelectorAll('.rows .row .lead')];
  if (!links.length) return;
  links.sort((one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top);
  const at = links.indexOf(document.activeElement);
  const first = links.findIndex((link) => link.getBoundingClientRect().top > 100);
  const next = links[at < 0 ? Math.max(0, first) : at + by];
  if (!next) return;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: 'nearest' });
}
