// The node's API: one request, one answer, and refusals in one form.
import { at } from './router.js';
import { forget, header, isSignedIn } from './session.js';

/** Why something was not done, as the node says it. */
export class Refusal extends Error {
  constructor(code, message, transaction = null) {
    super(message);
    this.code = code;
    this.transaction = transaction;
  }

  /** The node could not be asked, or is not in a state to answer; later it may be. */
  get isPassing() {
    return this.code === 'UNREACHABLE' || this.code === 'UNAVAILABLE';
  }
}

export const url = (path, query) => at(`/api/v1${path}`, query);

export async function open(method, path, { query, body, type = 'application/json', signal } = {}) {
  const shown = isSignedIn();
  const headers = { ...header(), ...(body === undefined ? {} : { 'content-type': type }) };
  let answer;
  try {
    answer = await fetch(url(path, query), { method, headers, body, signal, cache: 'no-store', credentials: 'same-origin' });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Refusal('UNREACHABLE', 'the node does not answer');
  }
  if (answer.ok) return answer;
  const refusal = await read(answer);
  if (refusal.code === 'UNAUTHENTICATED') forget(shown ? refusal.message : null);
  throw refusal;
}

async function read(answer) {
  try {
    const { error, transaction } = await answer.json();
    return new Refusal(error.code, error.message, transaction);
  } catch {
    // A node says why. What does not is something in front of it, which speaks for a node that is away.
    return answer.status >= 500
      ? new Refusal('UNAVAILABLE', `the node cannot be reached: something in front of it answered ${answer.status}`)
      : new Refusal('UNKNOWN', `the answer was ${answer.status}, without a reason`);
  }
}

export const get = async (path, query, signal) => (await open('GET', path, { query, signal })).json();

export const post = async (path, query, given = {}) => (await open('POST', path, { query, ...given })).json();

/** For what is done once, however often it is sent. Only a page of this machine, or with TLS, has randomUUID. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `page-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
