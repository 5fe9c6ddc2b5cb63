import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** The branch of a project, or the start of the commit where no branch is checked out; null without git. */
export function readBranch(root: string): string | null {
  const head = readHead(resolve(root))
  if (head === null) return null
  return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? head.slice(0, 7)
}

/** Looks in the project and above it. Does not run git, which may not be installed and takes longer. */
function readHead(folder: string): string | null {
  const head = readTrimmed(join(folder, '.git/HEAD')) ?? headOfWorktree(folder)
  if (head !== null) return head
  const above = dirname(folder)
  return above === folder ? null : readHead(above)
}

/** In a worktree `.git` is a file that names the folder. */
function headOfWorktree(folder: string): string | null {
  const named = /^gitdir: (.+)$/.exec(readTrimmed(join(folder, '.git')) ?? '')?.[1]
  return named === undefined ? null : readTrimmed(join(resolve(folder, named), 'HEAD'))
}

function readTrimmed(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return null // there is none
  }
}
