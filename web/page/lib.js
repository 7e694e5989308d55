// The one place that knows which library draws the page.
import htm from './vendor/htm.js';
import { Component, h } from './vendor/preact.js';

export { h, render } from './vendor/preact.js';
export {
  useCallback, useEffect, useErrorBoundary, useLayoutEffect, useMemo, useRef, useState,
} from './vendor/hooks.js';

export const html = htm.bind(h);

/** Draws a component again only if one of its properties is another. */
export function memo(draw) {
  return class Memo extends Component {
    shouldComponentUpdate(next) {
      const now = this.props;
      const names = Object.keys(next);
      return names.length !== Object.keys(now).length || names.some((name) => next[name] !== now[name]);
    }

    render(properties) {
      return draw(properties);
    }
  };
}

/** Class names, of which some may be missing. */
export function cls(...names) {
  return names.filter(Boolean).join(' ');
}
