import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Returns the branch of a project, or the short commit if no branch is checked out; null without git. */
export function readBranch(root: string): string | null {
  const head = readHead(resolve(root))
  if (head === null) return null
  return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? head.slice(0, 7)
}

/** Reads `HEAD` of the project or a parent folder. Does not run git, which may not be installed and is slower. */
function readHead(folder: string): string | null {
  const head = readTrimmed(join(folder, '.git/HEAD')) ?? headOfWorktree(folder)
  if (head !== null) return head
  const above = dirname(folder)
  return above === folder ? null : readHead(above)
}

/** Reads `HEAD` of a worktree, where `.git` is a file with the path of the folder. */
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
