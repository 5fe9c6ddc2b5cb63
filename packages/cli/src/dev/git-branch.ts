import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/**
 * Returns a project's git branch, or the short commit hash if no branch is checked out. Returns null if the project is
 * not in a repository.
 */
export function readBranch(root: string): string | null {
  const head = readHead(resolve(root))
  if (head === null) return null
  return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? head.slice(0, 7)
}

/** Reads `HEAD` in the folder or a parent folder, without running git, which is slower and might not be installed. */
function readHead(folder: string): string | null {
  const head = readTrimmed(join(folder, '.git/HEAD')) ?? headOfWorktree(folder)
  if (head !== null) return head
  const above = dirname(folder)
  return above === folder ? null : readHead(above)
}

/** Reads the `HEAD` of a worktree, where `.git` is a file that contains the path of the git folder. */
function headOfWorktree(folder: string): string | null {
  const named = /^gitdir: (.+)$/.exec(readTrimmed(join(folder, '.git')) ?? '')?.[1]
  return named === undefined ? null : readTrimmed(join(resolve(folder, named), 'HEAD'))
}

function readTrimmed(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return null // not found
  }
}
