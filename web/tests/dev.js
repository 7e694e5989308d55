// For whoever writes the page: serves web/page from the disk, with the API of a node that runs. An edit needs a reload,
// and no build.
//
//   node web/tests/dev.js http://127.0.0.1:9340 8080
import { createReadStream, existsSync, readFileSync, readdirSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join, normalize } from 'node:path';

import { ROOT } from './lab.js';

const [node = 'http://127.0.0.1:9340', port = '8080'] = process.argv.slice(2);
const KINDS = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml', md: 'text/markdown', png: 'image/png' };

function file(path) {
  const clean = normalize(path);
  if (clean.startsWith('/assets/')) return join(ROOT, 'web/page', clean.split('/').slice(3).join('/'));
  if (clean.startsWith('/docs/') && /\.[a-z]+$/.test(clean)) return join(ROOT, clean);
  return null;
}

function document() {
  return readFileSync(join(ROOT, 'web/page/index.html'), 'utf8').replace('<!-- modules -->\n', '').replaceAll('{assets}', '/assets/dev');
}

createServer((asked, answer) => {
  const { pathname } = new URL(asked.url, 'http://dev');
  const found = file(pathname);
  // The node knows which pages there are.
  if (pathname.startsWith('/api/') || pathname === '/docs/index.json') {
    const { host, origin, ...headers } = asked.headers;
    const passed = request(new URL(asked.url, node), { method: asked.method, headers }, (said) => {
      answer.writeHead(said.statusCode, said.headers);
      said.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    asked.pipe(passed);
  } else if (found) {
    if (!existsSync(found)) return answer.writeHead(404).end();
    answer.writeHead(200, { 'content-type': `${KINDS[found.split('.').pop()]}; charset=utf-8`, 'cache-control': 'no-store' });
    createReadStream(found).pipe(answer);
  } else {
    answer.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }).end(document());
  }
  return undefined;
}).listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${port} with ${readdirSync(join(ROOT, 'web/page')).length} files of web/page`));
