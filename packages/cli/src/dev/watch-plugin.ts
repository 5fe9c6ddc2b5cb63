import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HotUpdateOptions, Plugin, ViteDevServer } from 'vite'
import { reportEarlySaves } from './early-saves.ts'

/** A change to a file that Vite watches. */
export type FileChange = Pick<HotUpdateOptions, 'file' | 'type'>

/** How long to wait before checking a file again, in ms. Vite's watcher drops a change within 50 ms of another one. */
const RECHECK_MS = 60

const POLL_MS = 4

/**
 * Creates a plugin that watches a folder and reports changes to server modules, which Vite does not reload. An editor
 * may empty a file before writing it, so a change is reported only after the file is written. Each file is checked
 * again to find changes that the watcher dropped, which are then reported to `onChange` and to the page. The same is
 * true for new folders: the watcher reads a folder before it watches it, so it misses files that are added in between.
 */
export function watchPlugin(folder: string, onChange: (change: FileChange) => void): Plugin {
  const pending = new Map<string, NodeJS.Timeout>()
  const reported = new Map<string, string | null>()
  let server: ViteDevServer | undefined
  let stopEarly = (): void => {}
  return {
    name: 'sdk:watch',
    enforce: 'pre',
    configureServer(vite) {
      server = vite
      vite.watcher.add(folder)
      stopEarly = reportEarlySaves(vite.watcher, folder)
      vite.watcher.on('addDir', (path) => {
        if (path.startsWith(folder))
          pending.set(
            path,
            setTimeout(() => addMissed(path), RECHECK_MS),
          )
      })
    },
    async hotUpdate({ file, type, modules }) {
      const { environment } = this
      if (type !== 'delete') await waitUntilWritten(file)
      if (environment.name !== 'ssr') return undefined
      for (const module of modules) environment.moduleGraph.invalidateModule(module)
      const version = fileVersion(file)
      // This version has already been reported, since both the watcher and `recheck` report changes.
      if (type === 'update' && reported.get(file) === version) return []
      reported.set(file, version)
      recheckLater(file, version)
      onChange({ file, type })
      return []
    },
    buildEnd() {
      stopEarly()
      for (const timer of pending.values()) clearTimeout(timer)
    },
  }

  /** Reports the files in a folder that the watcher does not know. */
  function addMissed(path: string): void {
    pending.delete(path)
    const watched = server?.watcher.getWatched()[path] ?? []
    for (const entry of readFolder(path)) {
      if (watched.includes(entry.name)) continue
      const missed = join(path, entry.name)
      server?.watcher.add(missed)
      if (entry.isDirectory()) addMissed(missed)
      else server?.watcher.emit('add', missed)
    }
  }

  function recheckLater(file: string, before: string | null): void {
    clearTimeout(pending.get(file))
    pending.set(file, setTimeout(recheck, RECHECK_MS))

    function recheck(): void {
      pending.delete(file)
      const now = fileVersion(file)
      // The watcher itself reports deleted files.
      if (before !== null && now !== null && now !== before) server?.watcher.emit('change', file)
    }
  }
}

/** Waits until a file is not empty, but only briefly, since it may be empty on purpose. */
async function waitUntilWritten(file: string): Promise<void> {
  const end = performance.now() + RECHECK_MS
  while (fileVersion(file)?.endsWith('-0') === true && performance.now() < end) await sleep(POLL_MS)
}

function readFolder(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch {
    return [] // the folder has been deleted again
  }
}

function fileVersion(file: string): string | null {
  try {
    const { mtimeNs, size } = statSync(file, { bigint: true })
    return `${mtimeNs}-${size}`
  } catch {
    return null // the file does not exist
  }
}
