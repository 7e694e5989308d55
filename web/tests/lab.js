// A small network to look at: simulated devices in one process, and a node in front of them.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const BINARY = process.env.LOCKSTEP ?? join(ROOT, 'target/debug/lockstep');
/** Long enough for a machine that is busy with something else; nothing waits for it to pass. */
export const PATIENCE = 60_000;

const isFree = (port) => new Promise((resolve) => {
  const server = createServer().once('error', () => resolve(false));
  server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
});

/** Ports one after another that nobody listens on, below those that the kernel gives to connections going out. */
export async function freePorts(count) {
  const high = Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s/)[0]);
  for (;;) {
    const first = 10_000 + Math.floor(Math.random() * (high - 10_000 - count));
    const ports = Array.from({ length: count }, (_, at) => first + at);
    let free = true;
    for (const port of ports) free &&= await isFree(port);
    if (free) return ports;
  }
}

/** Waits for a condition to hold, and gives back what it gave. */
export async function until(what, condition, patience = PATIENCE) {
  const deadline = Date.now() + patience;
  let last;
  for (;;) {
    try {
      last = await condition();
      if (last) return last;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Error(`${what}: not within ${patience} ms; last: ${last}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export const hashed = (password) => execFileSync(BINARY, ['user', 'hash'], { input: password, encoding: 'utf8' }).trim();

export class Lab {
  #processes = new Set();

  /**
   * `each` has more for some targets, by name; `extra` more for the node. With `tls` the page is served with a certificate, on every address.
   * `beside`: so many more nodes, all on one etcd.
   */
  static async start({ names = ['leaf1', 'leaf2', 'leaf3', 'spine1'], each = {}, extra = {}, headers = {}, tls = null, beside = 0 } = {}) {
    const lab = new Lab();
    lab.folder = mkdtempSync(join(tmpdir(), 'lockstep-page-'));
    lab.headers = headers;
    lab.names = names;
    lab.tls = tls;
    const [grpc, http, ...devices] = await freePorts(2 + names.length);
    Object.assign(lab, { grpc, http, devices: Object.fromEntries(names.map((name, at) => [name, devices[at]])) });
    const target = (name) => [name, { address: `127.0.0.1:${lab.devices[name]}`, insecure: true, model: 'lab-1.0', ...each[name] }];
    lab.config = {
      node: 'n1',
      listen: `127.0.0.1:${grpc}`,
      http: `${tls ? '0.0.0.0' : '127.0.0.1'}:${http}`,
      store: './data',
      ...(tls ? { tls } : { insecure: true }),
      models: { 'lab-1.0': join(ROOT, 'models/lab') },
      targets: Object.fromEntries(names.map(target)),
      ...extra,
    };
    // JSON is YAML.
    writeFileSync(join(lab.folder, 'lockstep.yaml'), JSON.stringify(lab.config));
    lab.sim = lab.#run('sim', '--models', join(ROOT, 'models/lab'), '--listen', `127.0.0.1:${devices[0]}`, '--count', String(names.length));
    if (beside) await lab.#cluster(beside);
    lab.startNode();
    await lab.settled();
    if (beside) await until('every node has its share', () => lab.isShared(beside + 1));
    return lab;
  }

  /** An etcd for this node, and others on it. */
  async #cluster(count) {
    const [client, peer, ...more] = await freePorts(2 + 2 * count);
    const at = (port) => `http://127.0.0.1:${port}`;
    this.#spawn('etcd', 'etcd', '--data-dir', 'etcd', '--listen-client-urls', at(client), '--advertise-client-urls', at(client), '--listen-peer-urls', at(peer),
      '--initial-advertise-peer-urls', at(peer), '--initial-cluster', `default=${at(peer)}`);
    await until('etcd answers', async () => (await fetch(`${at(client)}/health`)).ok);
    this.config.store = `etcd://127.0.0.1:${client}/lockstep`;
    writeFileSync(join(this.folder, 'lockstep.yaml'), JSON.stringify(this.config));
    for (let other = 0; other < count; other += 1) {
      const file = `n${other + 2}.yaml`;
      const [listen, http] = more.slice(2 * other).map((port) => `127.0.0.1:${port}`);
      writeFileSync(join(this.folder, file), JSON.stringify({ ...this.config, node: `n${other + 2}`, listen, http }));
      this.#run('serve', '--config', file);
    }
  }

  /** Whether so many nodes are alive and have about as many targets each. */
  async isShared(count) {
    const nodes = await this.api('GET', '/nodes');
    const share = Math.floor(this.names.length / count);
    return nodes.length === count && nodes.every(({ masterships }) => Object.keys(masterships).length >= share) && this.settled();
  }

  #run(...given) {
    return this.#spawn(given[0], BINARY, ...given);
  }

  #spawn(name, program, ...given) {
    const log = openSync(join(this.folder, `${name}.log`), 'a');
    const process = spawn(program, given, { cwd: this.folder, stdio: ['ignore', log, log] });
    this.#processes.add(process);
    return process;
  }

  startNode() {
    this.node = this.#run('serve', '--config', 'lockstep.yaml');
  }

  async stopNode() {
    const gone = new Promise((resolve) => this.node.once('exit', resolve));
    this.node.kill('SIGKILL');
    await gone;
    this.#processes.delete(this.node);
  }

  get url() {
    return `${this.tls ? 'https' : 'http'}://127.0.0.1:${this.http}`;
  }

  async api(method, path, body) {
    const answer = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: { ...this.headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body ? JSON.stringify(body) : undefined,
    });
    const said = await answer.json();
    if (!answer.ok && !said.transaction) throw new Error(`${method} ${path}: ${JSON.stringify(said)}`);
    return said.transaction ?? said;
  }

  change(change, query = '') {
    return this.api('POST', `/transactions${query}`, change);
  }

  settled(patience = PATIENCE) {
    return until('every target is synchronised', async () =>
      (await this.api('GET', '/targets')).every(({ state }) => state === 'synchronised'), patience);
  }

  /** A command to a simulated device: `refuse`, `drift`, … */
  device(command, name, ...given) {
    return this.command('sim', command, `127.0.0.1:${this.devices[name]}`, ...given);
  }

  command(...given) {
    return new Promise((resolve, reject) => {
      execFile(BINARY, given, (error, out, said) => (error ? reject(new Error(said)) : resolve(out)));
    });
  }

  logs() {
    return ['sim', 'serve'].map((name) => {
      const text = readFileSync(join(this.folder, `${name}.log`), 'utf8');
      return `--- ${name}\n${text.slice(-4000)}`;
    }).join('\n');
  }

  /** Those of `secrets` that the node wrote to its log, in clear or as a browser sends them. */
  leaked(secrets) {
    const log = readFileSync(join(this.folder, 'serve.log'), 'utf8');
    const forms = (secret) => [secret, ...[0, 1, 2].map((shift) => Buffer.from('x'.repeat(shift) + secret).toString('base64').slice(shift ? 4 : 0, -4))];
    return secrets.filter((secret) => forms(secret).some((form) => log.includes(form)));
  }

  async stop() {
    for (const process of this.#processes) process.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
