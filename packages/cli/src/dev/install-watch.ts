import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The files that package managers write at the end of an installation. */
const RECORDS = [
  'node_modules/.package-lock.json',
  'node_modules/.modules.yaml',
  'node_modules/.yarn-state.yml',
  'node_modules/.yarn-integrity',
  'bun.lock',
  '.pnp.cjs',
]

const INSTALL_POLL_MS = 500

/** Finds installations of packages. Files in `node_modules` are not watched. */
export interface InstallWatch {
  /** Checks for installations until `stop` is called. Does nothing if it is already checking. */
  start(): void
  stop(): void
}

/** Creates an `InstallWatch` for a project, which may be part of a workspace. */
export function createInstallWatch(root: string, onInstall: () => void): InstallWatch {
  let known = installState(root)
  let timer: NodeJS.Timeout | undefined
  return {
    start() {
      timer ??= setInterval(check, INSTALL_POLL_MS).unref()
    },
    stop() {
      clearInterval(timer)
      timer = undefined
    },
  }

  function check(): void {
    const now = installState(root)
    if (now === known) return
    known = now
    onInstall()
  }
}

function installState(root: string): string {
  const times = RECORDS.map((file) => statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs)
  const parent = dirname(root)
  return parent === root ? times.join() : `${times.join()} ${installState(parent)}`
}
