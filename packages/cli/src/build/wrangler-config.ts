import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { App } from '@sdk/server'
import type { Project } from '../discover.ts'
import { Failure } from '../failure.ts'
import { readManifest } from '../manifest.ts'

/** Returns the project's Wrangler configuration, or undefined if it has none. */
function findConfig(root: string): string | undefined {
  return ['wrangler.jsonc', 'wrangler.json', 'wrangler.toml'].map((name) => join(root, name)).find(existsSync)
}

/** Returns whether the project has chosen to use the modules of Node that Cloudflare Workers provide. */
export function usesNodeCompat(root: string): boolean {
  const file = findConfig(root)
  return file !== undefined && readFileSync(file, 'utf8').includes('nodejs_compat')
}

/** Throws if an app cannot run on Cloudflare Workers. */
export function assertRunsOnWorkers(app: Pick<App, '~runs'>): void {
  if (app['~runs']() === null) return
  throw new Failure('durable agents cannot run on Cloudflare Workers, where no process runs continuously', {
    code: 'NOT_FOR_WORKERS',
    fix: 'remove `durable: true`, or build for Node: sdk build',
  })
}

/** Creates `wrangler.jsonc`, unless the project has a Wrangler configuration. Returns whether it was created. */
export function writeWranglerConfig({ root, web }: Pick<Project, 'root' | 'web'>): boolean {
  if (findConfig(root) !== undefined) return false
  const { name = 'app' } = readManifest(root)
  const config = {
    name: name.replace(/^@/, '').replaceAll(/[^a-z0-9-]+/g, '-'),
    main: 'dist/server/worker.js',
    no_bundle: true,
    compatibility_date: '2026-06-01',
    compatibility_flags: ['enable_request_signal'],
    durable_objects: { bindings: [{ name: 'SOCKETS', class_name: 'Sockets' }] },
    migrations: [{ tag: 'v1', new_sqlite_classes: ['Sockets'] }],
    ...(web !== null && { assets: WEB_ASSETS }),
  }
  writeFileSync(join(root, 'wrangler.jsonc'), `${JSON.stringify(config, null, 2)}\n`)
  return true
}

/** The files of the web app. The Worker handles only the paths that every app handles. */
const WEB_ASSETS = {
  directory: 'dist/web',
  not_found_handling: 'single-page-application',
  run_worker_first: ['/agent/*', '/api/*', '/ws/*', '/healthz', '/readyz'],
}
