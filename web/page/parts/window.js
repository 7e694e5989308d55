// The time within which a change has to be confirmed, counting down by the node's clock.
import { html } from '../lib.js';
import { now } from '../live.js';
import { length } from '../words.js';
import { Icon } from './icon.js';
import { useTicking } from './notice.js';

export function Window({ one }) {
  const open = one.window === 'open' && one.confirm_until;
  useTicking(Boolean(open));
  if (!open) return null;
  const left = Math.max(0, Date.parse(one.confirm_until) - now());
  return html`<span class="window tone-warn" title=${`Reverted at ${one.confirm_until} unless it is confirmed`}><${Icon} name="clock" />${left >= 1000 ? length(Math.floor(left / 1000) * 1000) : 'now'}</span>`;
}
