// Server-sent events over fetch. EventSource could not say who asks, and hears nothing of why it was refused.
import { open } from './api.js';

const FIRST = 500;
const LONGEST = 15_000;
/** The node says every 15 s that it is still there. */
const SILENCE = 40_000;
/** So long a tab may be out of sight before it lets go of its connections. */
const HIDDEN = 20_000;
/**
 * A browser has six connections for a node that does not speak HTTP/2, over all its windows. So many of them may be kept by
 * watches, which leaves some for everything else; a watch beyond that looks in now and then.
 */
const SEATS = 4;
const NOW_AND_THEN = 3_000;

/** After one of these, what stands has been told. */
const CAUGHT_UP = new Set(['synced', 'targets']);

export const ENOUGH = Symbol('enough');

/** The events in a stream of bytes. */
export async function* parse(stream, beat = () => {}) {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      beat();
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = blocks.pop();
      for (const block of blocks) {
        let name = 'message';
        const data = [];
        for (const line of block.split('\n')) {
          if (line.startsWith('event:')) name = line.slice(6).trim();
          else if (line.startsWith('data:')) data.push(line.slice(5).trimStart());
        }
        if (data.length) yield { name, data: JSON.parse(data.join('\n')) };
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** Whether any number of watches share one connection. */
const isShared = () => /^h[23]/.test(performance.getEntriesByType('navigation')[0]?.nextHopProtocol ?? '');

/** One of the connections that watches may keep: how to leave it, or nothing if all are taken by this window and others. */
async function seat() {
  if (isShared() || !navigator.locks) return () => {};
  for (let at = 0; at < SEATS; at += 1) {
    // Held until the promise is kept that is made when there is one: `leave` does that.
    const leave = await new Promise((found) => {
      navigator.locks.request(`lockstep.watch.${at}`, { ifAvailable: true }, (lock) => (lock ? new Promise((left) => { found(left); }) : found(null)));
    });
    if (leave) return leave;
  }
  return null;
}

/**
 * Watches until it is stopped: begins anew when the node goes away, later each time. Tells of events, and of how it stands:
 * `joining`, `live`, `lost` (with when it tries next), `refused` (with why; it does not try again by itself). If what is told
 * of an event gives back ENOUGH, it ends.
 */
export function watch(path, query, told) {
  const one = new Watch(path, query, told);
  one.begin();
  return one;
}

class Watch {
  #path;
  #query;
  #told;
  /** Aborted when it is stopped; another one when it begins anew. */
  #ends = new AbortController();
  #wake = () => {};
  #isRefused = false;
  #hiding = null;
  #seen = () => this.#look();

  constructor(path, query, { event, state = () => {} }) {
    this.#path = path;
    this.#query = query;
    this.#told = { event, state };
    document.addEventListener('visibilitychange', this.#seen);
  }

  begin() {
    this.#ends.abort();
    this.#ends = new AbortController();
    this.#isRefused = false;
    this.#run(this.#ends.signal);
  }

  /** Tries now instead of later, or never. */
  retry() {
    if (!this.#isRefused) {
      this.#wake();
      return;
    }
    this.#told.state({ is: 'joining' });
    this.begin();
  }

  stop() {
    document.removeEventListener('visibilitychange', this.#seen);
    clearTimeout(this.#hiding);
    this.#ends.abort();
    this.#wake();
  }

  #look() {
    clearTimeout(this.#hiding);
    if (document.hidden) this.#hiding = setTimeout(() => this.#ends.abort(), HIDDEN);
    else if (this.#ends.signal.aborted) this.begin();
  }

  async #run(ends) {
    let tries = 0;
    while (!ends.aborted) {
      let looked = false;
      try {
        looked = await this.#once(ends, () => { tries = 0; });
      } catch (error) {
        if (!ends.aborted && !passes(error)) {
          this.#isRefused = true;
          this.#told.state({ is: 'refused', error });
          return;
        }
      }
      if (ends.aborted) return;
      if (looked) {
        await this.#pause(NOW_AND_THEN);
        continue;
      }
      const wait = Math.min(LONGEST, FIRST * 2 ** tries) * (0.75 + Math.random() / 2);
      tries += 1;
      this.#told.state({ is: 'lost', next: Date.now() + wait });
      await this.#pause(wait);
    }
  }

  /** From a beginning to an end. Gives back whether it looked in, and has seen how everything stands. */
  async #once(ends, heard) {
    const leave = await seat();
    if (ends.aborted) {
      leave?.();
      return false;
    }
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), SILENCE);
    const beat = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE);
    };
    const stop = () => silence.abort();
    ends.addEventListener('abort', stop);
    try {
      const answer = await open('GET', this.#path, { query: this.#query, signal: silence.signal });
      this.#told.state({ is: 'live' });
      for await (const { name, data } of parse(answer.body, beat)) {
        if (ends.aborted || name === 'error') return false;
        heard();
        if (this.#told.event(name, data) === ENOUGH) this.#ends.abort();
        if (!leave && CAUGHT_UP.has(name)) return true;
      }
      return false;
    } finally {
      leave?.();
      clearTimeout(timer);
      ends.removeEventListener('abort', stop);
    }
  }

  #pause(wait) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, wait);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Whether it may be better later: the node went away, said nothing for long, or has too much to do. */
function passes(error) {
  return error.name === 'AbortError' || error instanceof TypeError || error.isPassing || error.code === 'RESOURCE_EXHAUSTED';
}
