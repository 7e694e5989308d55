// A text of the address that somebody writes. What is written is kept here, so that nothing that is drawn meanwhile takes it
// away; it goes into the address after a short while, or with Enter.
import { html, useEffect, useRef, useState } from '../lib.js';
import { ask, usePlace } from '../router.js';

/** `wait`: how long, in milliseconds, before it takes effect. */
export function Search({ name, wait = 0, ...more }) {
  const given = usePlace().query.get(name) ?? '';
  const [text, write] = useState(given);
  /** What stands in the address because of this field, and not because somebody went elsewhere. */
  const asked = useRef(given);
  const timer = useRef(null);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (given === asked.current) return;
    asked.current = given;
    clearTimeout(timer.current);
    write(given);
  }, [given]);
  const take = (next) => {
    clearTimeout(timer.current);
    if (next === asked.current) return;
    asked.current = next;
    ask({ [name]: next });
  };
  const later = (event) => {
    const next = event.target.value;
    write(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(take, wait, next.trim());
  };
  return html`<input type="search" value=${text} onInput=${later} onChange=${(event) => take(event.target.value.trim())} ...${more} />`;
}
