import { createRequire } from 'node:module'
import { dirname, sep } from 'node:path'
import type TypeScript from './compilers/5.9/node_modules/typescript/lib/typescript.js'

/** Other compilers that users have, nested here so that the workspace keeps its `tsc`. */
export const OLDER_COMPILERS = ['5.9', '6.0'] as const

/**
 * Compiles a program and checks all of our declarations in it. Returns the errors. The declarations of others (Node,
 * React, drivers) would take most of the time; our own compiler checks them.
 */
export function compileOurs(version: (typeof OLDER_COMPILERS)[number], tsconfig: string): string {
  const ts = createRequire(import.meta.url)(`./compilers/${version}/node_modules/typescript`) as typeof TypeScript
  const { config } = ts.readConfigFile(tsconfig, ts.sys.readFile)
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, dirname(tsconfig))
  const program = ts.createProgram(fileNames, options)
  const ours = program
    .getSourceFiles()
    .filter(({ fileName }) => fileNames.includes(fileName) || fileName.includes(`${sep}@sdk${sep}`))
  const diagnostics = [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...ours.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ]
  return ts.formatDiagnostics(diagnostics, {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: ts.sys.getCurrentDirectory,
    getNewLine: () => '\n',
  })
}
