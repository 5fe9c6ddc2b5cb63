import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'

const PARENT = '/dev/shm'
const PREFIX = 'sdk-tests-'

/** The type of file systems in memory, from Linux's `statfs`. */
const TMPFS = 0x01_02_19_94

/** A complete run uses 1.2 GB. Twice as much must be free in the file system, and three times as much memory. */
const NEEDED_BYTES = 2.5e9
const NEEDED_MEMORY = 4e9

/**
 * Creates a folder in memory for the temporary files of the tests. The databases, projects and packages in them take a
 * third of the system's CPU time if they are on a disk. Returns undefined on systems without a suitable file system.
 */
export function createMemoryFolder(): string | undefined {
  if (process.platform !== 'linux' || process.env['TMPDIR'] !== undefined) return undefined
  try {
    removeAbandoned()
    const { type, bavail, bsize } = statfsSync(PARENT)
    if (type !== TMPFS || bavail * bsize < NEEDED_BYTES || freemem() < NEEDED_MEMORY) return undefined
    const folder = join(PARENT, `${PREFIX}${process.pid}`)
    // Other users must be able to enter it: PostgreSQL does not run as root.
    mkdirSync(folder, { mode: 0o755 })
    if (canExecute(folder)) return folder
    rmSync(folder, { recursive: true })
  } catch {
    // The folder is missing or not writable.
  }
  return undefined
}

/** Containers often mount the file system without permission to execute files. */
function canExecute(folder: string): boolean {
  const file = join(folder, 'program')
  writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 })
  const { status } = spawnSync(file)
  rmSync(file)
  return status === 0
}

/** Removes the folders of runs that were killed, since they would occupy memory until the next start of the machine. */
function removeAbandoned(): void {
  for (const name of readdirSync(PARENT)) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length)) : Number.NaN
    if (Number.isInteger(pid) && !isRunning(pid)) rmSync(join(PARENT, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
