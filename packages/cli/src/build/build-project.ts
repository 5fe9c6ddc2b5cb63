import { mkdirSync, readdirSync, renameSync, rmSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { bundleServer } from './bundle-server.ts'
import { bundleWorker } from './bundle-worker.ts'
import { bundleWeb } from './bundle-web.ts'
import type { Config } from '../config.ts'
import type { Project } from '../discover.ts'
import { keepEarlierFiles, writeFileList } from './earlier-files.ts'
import { isProcessAlive } from '../process-lifetime.ts'
import type { Target } from './server-entry.ts'
import type { WebFile } from './web-files.ts'

/** The result of a build. */
export interface BuildResult {
  /** The size of `dist/server` in bytes. */
  readonly serverSize: number
  /** The packages that must be installed for the server, with their versions. */
  readonly externals: Readonly<Record<string, string>>
  /** The files in `dist/web`, with their unencoded size and their size in each encoding. */
  readonly web: readonly WebFile[]
}

/** Options for `buildProject`. */
export interface BuildOptions {
  /** @default {} */
  readonly config?: Config
  /** The platform that runs the server. @default 'node' */
  readonly target?: Target
  /** Runs one step of the build and can report its progress. @default runs the step without reporting */
  readonly step?: <T>(title: string, work: () => Promise<T>) => Promise<T>
}

/** Builds a project into `dist/server` and `dist/web`. If the build fails, the output of the last build is kept. */
export async function buildProject(project: Project, options: BuildOptions = {}): Promise<BuildResult> {
  const { config = {}, target = 'node', step = (_, work) => work() } = options
  const dist = join(project.root, 'dist')
  const folder = createBuildFolder(dist)
  try {
    const { web: source } = project
    const outDir = join(folder, 'web')
    const made = source === null ? null : await step('web app', () => bundleWeb(project, { config, outDir }))
    const web = made === null ? null : keepEarlierFiles(dist, outDir, made)
    const bundle = target === 'workers' ? bundleWorker : bundleServer
    const server = await step('server', () => bundle(project, { config, web, target, outDir: join(folder, 'server') }))
    if (web !== null) writeFileList(join(folder, 'server'), web)
    for (const part of ['web', 'server']) replaceFolder(part, { dist, folder })
    return { serverSize: server.size, externals: server.externals, web: made ?? [] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Creates a folder for this build in `dist`, so that the last step can be a rename, which is atomic. */
function createBuildFolder(dist: string): string {
  mkdirSync(dist, { recursive: true })
  for (const name of readdirSync(dist)) {
    const [, pid] = /^\.build-(\d+)$/.exec(name) ?? []
    // The folder was left behind by a killed build.
    if (pid !== undefined && (Number(pid) === process.pid || !isProcessAlive(Number(pid))))
      rmSync(join(dist, name), { recursive: true, force: true })
  }
  const folder = join(dist, `.build-${process.pid}`)
  mkdirSync(folder)
  return folder
}

function replaceFolder(part: string, { dist, folder }: { dist: string; folder: string }): void {
  const [target, old, made] = [join(dist, part), join(folder, `old-${part}`), join(folder, part)]
  if (existsSync(target)) renameSync(target, old)
  if (existsSync(made)) renameSync(made, target)
}
