// A lab whose log is as long as it is wanted: a backup of two changes, in which the second was repeated, is restored.
import { createHash } from 'node:crypto';
import { createWriteStream, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { PATIENCE } from './lab.js';
import { motd } from './stage.js';

const MILLISECOND = 1_000_000;
const padded = (index) => String(index).padStart(20, '0');

/** Has the log of a lab that has no transaction yet be so long. The first of it says in its comment what it is. */
export async function grow(lab, [name], length, comment) {
  await lab.change({ [name]: motd('the first') }, `?comment=${encodeURIComponent(comment)}`);
  await lab.change({ [name]: motd('another') }, '?comment=another');
  const [short, long] = ['short', 'long'].map((file) => join(lab.folder, `${file}.jsonl`));
  await lab.command('store', 'export', '--insecure', '--server', `127.0.0.1:${lab.grpc}`, '--file', short);
  await lab.stopNode();
  await pipeline(lengthened(readFileSync(short, 'utf8').trim().split('\n'), length), createWriteStream(long));
  rmSync(join(lab.folder, 'data'), { recursive: true });
  await lab.command('store', 'import', join(lab.folder, 'data'), '--file', long);
  lab.startNode();
  // All of it is read first, by a binary that is not optimised.
  await lab.settled(5 * PATIENCE);
}

/** The lines of a backup whose log ends with two changes of one target, and is to be longer. */
function* lengthened(lines, length) {
  const digest = createHash('sha256');
  let entries = 0;
  const told = (line) => {
    const text = `${JSON.stringify(line)}\n`;
    digest.update(text);
    return text;
  };
  for (const line of lines.slice(0, -1).map((text) => JSON.parse(text))) {
    for (const one of repeated(line, length)) {
      entries += one.key ? 1 : 0;
      yield told(one);
    }
  }
  yield `${JSON.stringify({ kind: 'end', entries, digest: `sha256:${digest.digest('hex')}` })}\n`;
}

/** What becomes of a line: those of the second change are there once for each that comes to be. */
function* repeated(line, length) {
  const { kind, value } = line;
  const all = Array.from({ length: length - 1 }, (_, at) => at + 2);
  if (kind === 'head') yield { ...line, value: { ...value, index: length } };
  else if (kind === 'configuration') yield { ...line, value: { ...value, committed: upTo(length), applied: upTo(length) } };
  else if (kind === 'chunk') yield { ...line, value: JSON.parse(JSON.stringify(value).replace('"writer":2', `"writer":${length}`)) };
  else if (kind === 'id' && value === 2) for (const index of all) yield { ...line, key: `id/${again(index)}`, value: index };
  else if (kind === 'transaction') {
    for (const index of value.index === 1 ? [1] : all) {
      const at = value.submitted - (length - index) * MILLISECOND;
      const times = { submitted: at, decided: at, finished: at, deadline: at + 60_000 * MILLISECOND };
      const id = index === 1 ? value.id : again(index);
      yield { ...line, key: `transaction/${padded(index)}`, value: { ...value, index, id, ...times } };
    }
  } else if (kind === 'proposal' && line.key.includes(padded(2))) {
    yield line;
    // Each covers the one before.
    const covered = (index) => JSON.parse(JSON.stringify(value.undo).replace('the first', 'another').replace('"writer":1', `"writer":${index - 1}`));
    for (const index of all.slice(1)) yield { ...line, key: line.key.replace(padded(2), padded(index)), value: { ...value, undo: covered(index) } };
  } else yield line;
}

const upTo = (index) => ({ index, revision: index });
const again = (index) => `again-${padded(index)}`;
