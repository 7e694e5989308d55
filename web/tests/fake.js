// A node that is made up, for what a real one would take too long to get to: a thousand targets and a hundred thousand
// transactions. It has the page from the disk, and the part of the API that lists and watches need.
import { createServer } from 'node:http';
import { createReadStream, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';

import { ROOT, freePorts } from './lab.js';

const KINDS = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };
const STATUSES = ['applied', 'applied', 'applied', 'applied', 'reverted', 'rejected', 'partial'];

export class Fake {
  asked = [];
  /** Answers otherwise than a node that is well: a function of the path, method, query and body, which gives [status, what], or nothing. */
  otherwise = () => null;
  /** In the place of a transaction that is watched by itself. */
  one = null;
  #watchers = new Set();
  #lookers = new Set();

  constructor({ targets, transactions }) {
    this.count = targets;
    this.head = transactions;
  }

  async start() {
    this.server = createServer(async (asked, answer) => {
      const body = await text(asked);
      this.#serve(new URL(asked.url, 'http://fake'), answer, asked.method, body);
    });
    const [port] = await freePorts(1);
    await new Promise((resolve) => this.server.listen(port, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${port}`;
    return this;
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }

  transaction(index) {
    const status = STATUSES[index % STATUSES.length];
    const part = { applied: 'applied', reverted: 'undone', rejected: 'withdrawn', partial: 'withdrawn' }[status];
    const submitted = new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString();
    return {
      index, id: `made-up-${index}`, kind: 'change', of: null, to: null, mode: 'atomic', status, author: `user${index % 7}`, comment: `number ${index}`,
      submitted, deadline: null, decided: submitted, finished: submitted, waiting_for: null, error: null, rolled_back_by: null, window: null,
      confirm_until: null, target_count: 2, counts: { [part]: 2 }, targets: {},
    };
  }

  target(at) {
    return {
      name: `leaf${at}`, address: `10.0.${at >> 8}.${at & 255}:57400`, connected: true, master: 'n1', term: 1, state: 'synchronised', reason: null, fencing: 'device',
      committed: 1, applied: 1, model: 'lab', tags: [`pod${at % 10}`], source: 'file', waiting_for: null, drift: [], drift_more: 0,
    };
  }

  /** One more, which whoever watches is told of. */
  append() {
    this.head += 1;
    for (const answer of this.#watchers) this.#tell(answer, 'transaction', this.transaction(this.head));
    return this.head;
  }

  /** A target that is as it was but for this, which whoever looks at targets is told of. */
  alter(at, otherwise) {
    for (const answer of this.#lookers) this.#tell(answer, 'targets', { targets: [{ ...this.target(at), ...otherwise }], gone: [] });
  }

  #tell(answer, name, data) {
    answer.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  #serve({ pathname, searchParams }, answer, method, body) {
    const other = this.otherwise(pathname, method, searchParams, body);
    if (other) {
      const [status, what] = other;
      const type = typeof what === 'string' ? 'text/html' : 'application/json';
      answer.writeHead(status, { 'content-type': type }).end(typeof what === 'string' ? what : JSON.stringify(what));
      return;
    }
    if (pathname.startsWith('/assets/')) {
      const name = pathname.split('/').slice(3).join('/');
      answer.writeHead(200, { 'content-type': KINDS[name.split('.').pop()] });
      createReadStream(join(ROOT, 'web/page', name)).pipe(answer);
    } else if (pathname.startsWith('/api/v1/watch/')) {
      this.#watch(pathname, searchParams, answer);
    } else if (pathname.startsWith('/api/v1/')) {
      this.asked.push(pathname + (searchParams.size ? `?${searchParams}` : ''));
      answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(this.#answer(pathname.slice(7), searchParams)));
    } else {
      const text = readFileSync(join(ROOT, 'web/page/index.html'), 'utf8').replace('<!-- modules -->\n', '').replaceAll('{assets}', '/assets/fake');
      answer.writeHead(200, { 'content-type': 'text/html' }).end(text);
    }
  }

  #watch(pathname, given, answer) {
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    if (pathname.endsWith('/targets')) {
      this.#tell(answer, 'targets', { targets: Array.from({ length: this.count }, (_, at) => this.target(at + 1)), gone: [] });
      this.#lookers.add(answer);
      answer.on('close', () => this.#lookers.delete(answer));
      return;
    }
    if (given.has('index')) {
      this.#tell(answer, 'transaction', this.one ?? this.transaction(Number(given.get('index'))));
      answer.end();
      return;
    }
    const latest = Number(given.get('latest') ?? 0);
    for (let index = this.head - latest + 1; index <= this.head; index += 1) this.#tell(answer, 'transaction', this.transaction(index));
    this.#tell(answer, 'synced', {});
    this.#watchers.add(answer);
    answer.on('close', () => this.#watchers.delete(answer));
  }

  #answer(path, given) {
    const one = /^\/transactions\/(\d+)$/.exec(path);
    if (one) return { ...this.transaction(Number(one[1])), targets: {} };
    if (path === '/transactions') return this.#page(Number(given.get('before') ?? this.head + 1), Number(given.get('limit') ?? 100));
    if (path === '/me') return { name: null, how: 'none', groups: [], rights: ['read', 'change', 'operate'], everywhere: [], until: null };
    if (path === '/nodes') return [{ name: 'n1', session: 's', answers: true, masterships: {} }];
    return { node: 'n1', version: '0.0.0', now: new Date().toISOString(), nodes: 1, head: this.head, horizon: 0, targets: {}, transactions: {}, open: [] };
  }

  #page(before, limit) {
    const first = Math.max(1, before - limit);
    const transactions = Array.from({ length: before - first }, (_, at) => this.transaction(before - 1 - at));
    return { transactions, next_before: first > 1 ? first : null, head: this.head, horizon: 0 };
  }
}
