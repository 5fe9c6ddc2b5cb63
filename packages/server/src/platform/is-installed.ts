interface Modules {
  createRequire(file: string): { resolve(name: string): string }
}

/**
 * Returns whether a package is installed for the program or in the current folder. Packages that are part of a bundle
 * are not found. On platforms without `node:module`, the result is true.
 */
export function isInstalled(name: string): boolean {
  const { process } = globalThis as {
    process?: { argv?: readonly string[]; cwd?(): string; getBuiltinModule?(id: string): Modules | undefined }
  }
  const modules = process?.getBuiltinModule?.('node:module')
  if (modules === undefined) return true
  return [process?.argv?.[1], `${process?.cwd?.()}/`].some((from) => {
    if (from === undefined) return false
    try {
      modules.createRequire(from).resolve(`${name}/package.json`)
      return true
    } catch (error) {
      return (error as { code?: unknown }).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED'
    }
  })
}
