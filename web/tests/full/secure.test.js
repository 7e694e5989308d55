// Over TLS: one connection for all that a browser's windows watch.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { hashed } from '../lab.js';
import { row, stage } from '../stage.js';

const PASSWORD = 'correct-horse-battery';
const folder = mkdtempSync(join(tmpdir(), 'lockstep-page-tls-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const [cert, key] = ['node.crt', 'node.key'].map((name) => join(folder, name));
execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1',
  '-subj', '/CN=node', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert], { stdio: 'ignore' });

// Nobody signed it; what is asked here is asked on this machine.
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';

const here = stage({
  secrets: [PASSWORD],
  headers: { authorization: `Basic ${Buffer.from(`root:${PASSWORD}`).toString('base64')}` },
  tls: { cert, key },
  extra: { users: { root: hashed(PASSWORD) } },
});

test('any number of windows is live over one connection', async () => {
  const first = await here.open('/', { ignoreHTTPSErrors: true });
  first.allowed.push(/401/);
  const windows = [first, ...await Promise.all(Array.from({ length: 5 }, () => first.context().newPage()))];
  for (const page of windows) {
    await page.goto('/');
    await page.getByLabel('Name').fill('root');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await row(page, 'leaf1').waitFor();
  }
  assert.equal(await first.evaluate(() => performance.getEntriesByType('navigation')[0].nextHopProtocol), 'h2');
  // None of them looks now and then: each is told.
  assert.deepEqual(await first.evaluate(async () => (await navigator.locks.query()).held), []);
  const { index } = await here.lab.change({ leaf1: { update: { '/system/motd': 'to all' } } });
  for (const page of windows) await page.getByRole('link', { name: `#${index}`, exact: true }).first().waitFor();
});
