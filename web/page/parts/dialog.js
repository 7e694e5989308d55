// A dialog, which the browser keeps the focus in.
import { html, useEffect, useRef } from '../lib.js';
import { Icon } from './icon.js';

export function Dialog({ title, close, children, wide }) {
  const box = useRef(null);
  useEffect(() => {
    const before = document.activeElement;
    box.current.showModal();
    return () => before?.focus?.();
  }, []);
  const outside = (event) => {
    if (event.target === box.current) close();
  };
  return html`
    <dialog ref=${box} class=${wide ? 'wide' : ''} aria-label=${title} onClose=${close} onClick=${outside}>
      <header><h2>${title}</h2><button class="plain" onClick=${close} aria-label="Close"><${Icon} name="close" /></button></header>
      <div class="inside">${children}</div>
    </dialog>`;
}
