import { spawn } from 'node:child_process'

/**
 * Runs a shell command as soon as this process has ended, for any reason; the returned function
 * cancels it. The shell waits on a pipe that only this process holds open, so even `kill -9` triggers it.
 */
export function runAfterExit(command: string, argument: string): () => void {
  const guard = spawn('sh', ['-c', `read -r _; ${command}`, 'guard', argument], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  guard.unref()
  return () => {
    guard.kill('SIGKILL')
  }
}
