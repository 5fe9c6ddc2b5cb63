import { spawn } from 'node:child_process'

/**
 * Runs a shell command as soon as this process has exited, for any reason. The returned function cancels the command.
 * The shell waits on a pipe that only this process holds open, so the command runs even after `kill -9`.
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
