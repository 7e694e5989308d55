// Signing in, what roles give, and what a refusal says.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { hashed } from '../lab.js';
import { dialog, motd, row, stage } from '../stage.js';

const PASSWORD = 'correct-horse-battery';
const SECRET = 'a-shared-secret-of-more-than-thirty-two-bytes';
const key = join(tmpdir(), `lockstep-page-key-${process.pid}`);
writeFileSync(key, SECRET);
process.on('exit', () => import('node:fs').then(({ rmSync }) => rmSync(key, { force: true })));

const basic = (name) => `Basic ${Buffer.from(`${name}:${PASSWORD}`).toString('base64')}`;
const hash = hashed(PASSWORD);
const here = stage({
  headers: { authorization: basic('root') },
  extra: {
    users: { root: hash, reader: hash, ports: hash, ämil: hash },
    tokens: [{ issuer: 'ci', audience: 'lockstep', secret: key }],
    roles: {
      all: { may: ['read', 'change', 'operate'], users: ['root', 'ämil'] },
      reads: { may: ['read'], users: ['reader', 'job'] },
      ports: { may: ['read'], users: ['ports'] },
      change: { may: ['change'], users: ['ports'], targets: ['leaf*'], paths: ['/interfaces'] },
      operate: { may: ['operate'], users: ['ports'], targets: ['spine1'] },
    },
  },
});

function token(seconds) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const body = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ iss: 'ci', aud: 'lockstep', sub: 'job', exp: Math.floor(Date.now() / 1000) + seconds })}`;
  return `${body}.${createHmac('sha256', SECRET).update(body).digest('base64url')}`;
}

async function enter(path, name, password = PASSWORD) {
  const page = await here.open(path);
  page.allowed.push(/401|403/);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  return page;
}

test('whoever signs in goes where they wanted to, and what they showed is in no address and kept in this tab alone', async () => {
  const asked = [];
  const page = await here.open('/targets/leaf1');
  page.allowed.push(/401/);
  page.on('request', (request) => asked.push(request.url()));
  await page.getByLabel('Name').fill('ämil');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: /leaf1/ }).waitFor();
  await page.getByText('ämil').waitFor();
  assert.ok(asked.every((url) => !url.includes(PASSWORD) && !/authorization|token|password/i.test(url)));
  assert.equal(await page.evaluate(() => JSON.stringify(localStorage) + document.cookie), '{}');
  // It survives a reload of this tab; not another tab.
  await page.reload();
  await page.getByRole('heading', { name: /leaf1/ }).waitFor();
  const other = await page.context().newPage();
  await other.goto('/');
  await other.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
});

test('whoever does not want to stay is asked again after a reload', async () => {
  const page = await here.open('/');
  page.allowed.push(/401/);
  await page.getByLabel('Stay signed in').uncheck();
  await page.getByLabel('Name').fill('root');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await row(page, 'leaf1').waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('a wrong password is refused, and nothing is shown', async () => {
  const page = await enter('/', 'root', 'wrong');
  await page.getByText('the credentials are not valid').waitFor();
  assert.equal(await page.locator('.targets').count(), 0);
});

test('a token does as well, and its end is seen', async () => {
  const page = await here.open('/');
  page.allowed.push(/401/);
  await page.getByRole('tab', { name: 'Token' }).click();
  await page.getByLabel('Bearer token').fill(token(600));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('job').waitFor();
  await row(page, 'leaf1').waitFor();
});

test('what somebody may not do anywhere is not offered', async () => {
  const { index } = await here.lab.change({ leaf1: motd('x') });
  const page = await enter(`/transactions/${index}`, 'reader');
  await page.getByText('root').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Roll back…' }).count(), 0);
  await page.getByRole('link', { name: 'leaf1' }).click();
  await page.getByRole('heading', { name: 'Configuration' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Pause…' }).count(), 0);
  await page.getByRole('link', { name: 'Change', exact: true }).click();
  await page.getByText('No role gives you').waitFor();
});

test('what somebody may not do here is refused with the rule that is missing', async () => {
  const page = await enter('/change', 'ports');
  await page.getByLabel('Change file').fill('leaf1: {update: {/system/motd: x}}');
  await page.getByRole('button', { name: 'Submit without a dry run' }).click();
  await page.getByText('no role gives ports `change` on target leaf1 at /system/motd').waitFor();
  await page.getByText('Not allowed').waitFor();
  await page.getByRole('link', { name: 'Network' }).click();
  await page.getByRole('link', { name: 'leaf2', exact: true }).click();
  await page.getByRole('button', { name: 'Pause…' }).click();
  await dialog(page).getByRole('button', { name: 'Pause', exact: true }).click();
  await dialog(page).getByText('no role gives ports `operate` on target leaf2').waitFor();
});

test('the documentation is open to everybody', async () => {
  const page = await here.open('/docs/security');
  page.allowed.push(/401/);
  await page.getByRole('heading', { name: /^Security/ }).waitFor();
});
