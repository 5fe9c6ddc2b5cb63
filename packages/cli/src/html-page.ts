import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import type { WebSource } from './discover.ts'

const DEFAULT_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>%title%</title>
    <link rel="icon" href="data:," />
  </head>
  <body>
    <div id="root"></div>
    <script type="module" src="/index.tsx"></script>
  </body>
</html>
`

/** Returns the HTML page of a web app: its `index.html`, or a default page that loads `index.tsx`. */
export function readHtmlPage({ folder, html }: WebSource): string {
  return html === null ? DEFAULT_PAGE.replace('%title%', pageTitle(folder)) : readFileSync(html, 'utf8')
}

/** Creates a plugin that provides the page for a web app without an `index.html`. */
export function htmlPagePlugin(web: WebSource): Plugin {
  const page = htmlPageFile(web)
  return {
    name: 'sdk:page',
    enforce: 'pre',
    resolveId: (id) => (id === page ? page : undefined),
    load: (id) => (id === page ? readHtmlPage(web) : undefined),
  }
}

/** Returns the path of the page, whether or not the file exists. */
export function htmlPageFile(web: WebSource): string {
  return join(web.folder, 'index.html')
}

function pageTitle(folder: string): string {
  const file = join(folder, '../../package.json')
  const { name }: { name?: unknown } = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as object) : {}
  return typeof name === 'string' ? name.replace(/[&<>]/g, '') : 'App'
}
