// The words of the protocol, each with its shape, its tone, and a sentence for those who meet it first. A state is never
// told by colour alone.

/** Of a target; docs/targets.md has the table. */
export const STATES = {
  synchronised: { icon: 'check', tone: 'ok', about: 'The device holds what was applied.' },
  synchronising: { icon: 'sync', tone: 'busy', about: 'A node is connected, reads the device and brings it in line.' },
  pending: { icon: 'ring', tone: 'idle', about: 'No node is connected to it.' },
  drifted: { icon: 'drift', tone: 'warn', about: 'It was synchronised, and has been changed behind Lockstep\'s back.' },
  paused: { icon: 'pause', tone: 'idle', about: 'It is left alone.' },
  failed: { icon: 'cross', tone: 'bad', about: 'It will not be brought in line; the reason says why.' },
};

/** Of a transaction. */
export const STATUSES = {
  pending: { icon: 'ring', tone: 'busy', about: 'In the log, not decided.' },
  committed: { icon: 'half', tone: 'busy', about: 'Decided, and on its way to its devices.' },
  reverting: { icon: 'undo', tone: 'warn', about: 'A device refused it, or it was cancelled: it is being undone.' },
  applied: { icon: 'check', tone: 'ok', about: 'Applied on every target.' },
  partial: { icon: 'part', tone: 'warn', about: 'Refused by or withdrawn on at least one target, applied on the others.' },
  rejected: { icon: 'cross', tone: 'bad', about: 'Decided against: it changed nothing.' },
  reverted: { icon: 'undo', tone: 'bad', about: 'Its effects are gone everywhere.' },
  cancelled: { icon: 'slash', tone: 'idle', about: 'Cancelled before it had any effect.' },
};
const OPEN = new Set(['pending', 'committed', 'reverting']);
export const isOpen = (transaction) => OPEN.has(transaction.status);

/** Of a transaction on one target. */
export const PARTS = {
  applied: { icon: 'check', tone: 'ok', about: 'The device accepted it.' },
  pending: { icon: 'ring', tone: 'idle', about: 'Not there yet.' },
  withdrawn: { icon: 'slash', tone: 'warn', about: 'Called off on this target alone, or no longer valid there.' },
  undone: { icon: 'undo', tone: 'undo', about: 'Undone with its transaction.' },
  refused: { icon: 'cross', tone: 'bad', about: 'The device refused it.' },
};

/** Of either, more exactly. */
export const STAGES = {
  confirming: { icon: 'most', tone: 'busy', about: 'Every device accepted it, and is told to keep it.' },
  accepted: { icon: 'half', tone: 'busy', about: 'The device has it on trial.' },
};

export const KINDS = ['change', 'rollback', 'restore', 'adopt', 'add', 'rebind', 'remove'];

/** By name, with numbers in them as numbers. */
export const byName = new Intl.Collator('en', { numeric: true }).compare;

/** "1 target", "3 targets". */
export function count(number, one, many = `${one}s`) {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}

const two = (number) => String(number).padStart(2, '0');

/** A time as a person here reads it: without the day, if that is today. */
export function clock(text, today = new Date()) {
  const at = new Date(text);
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  return at.toDateString() === today.toDateString() ? time : `${day(at)} ${time}`;
}

/** Of the times on this page; said once, where times are listed. */
export const zone = () => new Intl.DateTimeFormat('en', { timeZoneName: 'short' }).formatToParts().find(({ type }) => type === 'timeZoneName').value;

export const day = (at) => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;

/** How long something took. */
export function length(ms) {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${two(Math.floor(ms / 1000) % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

/** Of a transaction, from Submit to its outcome. */
export function took(transaction) {
  return transaction.finished ? length(Date.parse(transaction.finished) - Date.parse(transaction.submitted)) : '';
}
