import { createLogger, type build, type Logger, type Rolldown } from 'vite'
import { Failure } from './failure.ts'
import { printProblem, toProblem, type Broken } from './problem.ts'
import { createTerminal } from './terminal.ts'

/** A file that the bundler made. */
export type Output = Rolldown.OutputChunk | Rolldown.OutputAsset

/** The files of a build that ends. */
export function outputOf(result: Awaited<ReturnType<typeof build>>): Output[] {
  if ('close' in result) throw new TypeError('the build watches instead of ending')
  return [result].flat().flatMap(({ output }) => output)
}

/** Tells of warnings; what fails is told by us, with its place. */
export function quietLogger(): Logger {
  return { ...createLogger('warn'), error() {} }
}

/** Bundles; what does not compile fails with its place and the lines around it, as it does while developing. */
export async function tellWhere<T>(root: string, asked: Omit<Broken, 'root'>, bundle: () => Promise<T>): Promise<T> {
  try {
    return await bundle()
  } catch (error) {
    if (error instanceof Failure) throw error
    const problem = toProblem(error, { root, ...asked })
    throw new Failure('the project does not build', {
      code: 'LOAD_FAILED',
      lines: printProblem(problem, createTerminal().paint),
      fix: 'mend what is marked above; the last build is still in dist',
      cause: error,
    })
  }
}
