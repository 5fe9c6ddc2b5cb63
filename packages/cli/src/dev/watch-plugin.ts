import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HotUpdateOptions, Plugin, ViteDevServer } from 'vite'

/** A change of a file that Vite watches. */
export type FileChange = Pick<HotUpdateOptions, 'file' | 'type'>

/** The delay before a file is checked again: Vite's watcher drops a second change within 50 ms, as of a formatter. */
const RECHECK_MS = 60

const POLL_MS = 4

/**
 * Watches a folder and reports changes of the server's modules, which Vite does not reload. An editor empties a
 * file before it writes it: a change is reported once the file is written. A change that the watcher drops is found by
 * checking the file again, and is then reported to `onChange` and to the page.
 */
export function watchPlugin(folder: string, onChange: (change: FileChange) => void): Plugin {
  const pending = new Map<string, NodeJS.Timeout>()
  const reported = new Map<string, string | null>()
  let server: ViteDevServer | undefined
  return {
    name: 'sdk:watch',
    enforce: 'pre',
    configureServer(vite) {
      server = vite
      vite.watcher.add(folder)
    },
    async hotUpdate({ file, type, modules }) {
      const { environment } = this
      if (type !== 'delete') await waitUntilWritten(file)
      if (environment.name !== 'ssr') return undefined
      for (const module of modules) environment.moduleGraph.invalidateModule(module)
      const version = fileVersion(file)
      // Both the watcher and `recheck` have reported this version.
      if (type === 'update' && reported.get(file) === version) return []
      reported.set(file, version)
      recheckLater(file, version)
      onChange({ file, type })
      return []
    },
    buildEnd() {
      for (const timer of pending.values()) clearTimeout(timer)
    },
  }

  function recheckLater(file: string, before: string | null): void {
    clearTimeout(pending.get(file))
    pending.set(file, setTimeout(recheck, RECHECK_MS))

    function recheck(): void {
      pending.delete(file)
      const now = fileVersion(file)
      // The watcher itself reports a deleted file.
      if (before !== null && now !== null && now !== before) server?.watcher.emit('change', file)
    }
  }
}

/** Waits until a file is not empty, but not for long: it may be empty on purpose. */
async function waitUntilWritten(file: string): Promise<void> {
  const end = performance.now() + RECHECK_MS
  while (fileVersion(file)?.endsWith('-0') === true && performance.now() < end) await sleep(POLL_MS)
}

function fileVersion(file: string): string | null {
  try {
    const { mtimeNs, size } = statSync(file, { bigint: true })
    return `${mtimeNs}-${size}`
  } catch {
    return null // the file does not exist
  }
}
