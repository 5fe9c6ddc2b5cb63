import { watch } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { OUT, ROOT } from './files.ts'

/** Options for the local server. */
export interface ServeOptions {
  readonly port: number
  /** The folder to serve. @default docs/dist */
  readonly out?: string
  /** Called when a source file has changed; browsers then reload. @default files are not watched */
  readonly rebuild?: () => Promise<void>
}

/** The running local server. */
export interface RunningSite {
  readonly url: string
  close(): Promise<void>
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

/** Serves the site on this machine. */
export async function serveSite({ port, out = OUT, rebuild }: ServeOptions): Promise<RunningSite> {
  const readers = new Set<ServerResponse>()
  const isLive = rebuild !== undefined
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    if (isLive && pathname === '/changes') return follow(readers, response)
    void answer({ path: join(out, toFile(pathname)), out, isLive }, response)
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  const stop = isLive ? onChange(() => void rebuild().then(() => tell(readers))) : () => {}
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      stop()
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** Returns the file for a path. It cannot be outside the folder, because `..` is removed. */
function toFile(pathname: string): string {
  try {
    return decodeURIComponent(pathname.endsWith('/') ? `${pathname}index.html` : pathname).replaceAll('..', '')
  } catch {
    return '404.html'
  }
}

async function answer(file: { path: string; out: string; isLive: boolean }, response: ServerResponse): Promise<void> {
  const found = await readFile(file.path).catch(() => null)
  const body = found ?? (await readFile(join(file.out, '404.html')).catch(() => 'not found'))
  const type = found === null ? '.html' : extname(file.path)
  response.writeHead(found === null ? 404 : 200, {
    'content-type': TYPES[type] ?? 'text/plain; charset=utf-8',
    'cache-control': 'no-cache',
  })
  response.end(file.isLive && type === '.html' ? `${body.toString()}${RELOAD}` : body)
}

const RELOAD = `<script>new EventSource('/changes').onmessage = () => location.reload()</script>\n`

function follow(readers: Set<ServerResponse>, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  response.write(':\n\n')
  readers.add(response)
  response.once('close', () => readers.delete(response))
}

function tell(readers: ReadonlySet<ServerResponse>): void {
  for (const reader of readers) reader.write('data: changed\n\n')
}

/** Waits until changes have settled, since editors write a file more than once. */
function onChange(listener: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  const watchers = ['docs', 'packages', 'examples', 'decisions', 'benchmarks'].map((folder) =>
    watch(join(ROOT, folder), { recursive: true }, (_event, name) => {
      if (name === null || !/\.(?:md|css)$/.test(name) || /(?:^|\/)(?:dist|node_modules)\//.test(name)) return
      clearTimeout(timer)
      timer = setTimeout(listener, 100)
    }),
  )
  return () => {
    clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
  }
}
