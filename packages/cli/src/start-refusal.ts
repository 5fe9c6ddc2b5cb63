import type { EnvFault } from '@sdk/server'
import { EXIT, Failure } from './failure.ts'
import { isTaken } from './listen.ts'
import { tellFailure } from './tell-failure.ts'
import { createTerminal } from './terminal.ts'

/** All that the environment lacks, at once. */
export function environmentFailure(faults: readonly EnvFault[]): Failure {
  const many = faults.length === 1 ? 'a variable' : `${faults.length} variables`
  return new Failure(`the server needs ${many} of the environment`, {
    code: 'INVALID_ENVIRONMENT',
    lines: faults.flatMap(({ name, fault, purpose, example }) => [`${name} ${fault}: ${purpose}`, `    ${example}`]),
    fix: 'set them where the server is started; sdk start also reads .env.production.local',
  })
}

/** Why a server cannot listen, where that is for the one who starts it to mend; else what was thrown. */
export function listenFailure(error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error
  const { message, syscall } = error
  if (isTaken(error)) {
    const fix = 'stop who listens there, or choose another port, as in PORT=4000'
    return new Failure(message, { code: 'PORT_TAKEN', fix, cause: error })
  }
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return error
  const fix = 'choose another address or port, as in HOST=0.0.0.0 PORT=4000'
  return new Failure(message, { code: 'CANNOT_LISTEN', fix, cause: error })
}

/** Tells why a server does not start, and ends the process. A mistake in the app's own code shows its stack. */
export function refuseStart(error: unknown): never {
  if (error instanceof Failure) return process.exit(tellFailure(error, createTerminal(), process.argv))
  console.error(error)
  return process.exit(EXIT.failed)
}
