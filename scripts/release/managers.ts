/** A package manager, and the commands that a user types. */
export interface Manager {
  readonly name: string
  /** The npm package of the program; npm itself is already installed. */
  readonly install?: string
  readonly create: string
  readonly test: string
}

/** The package managers with which apps are created, each in a pinned version. */
export const MANAGERS: readonly Manager[] = [
  { name: 'npm', create: 'npm create @sdk@latest my-app -- --yes', test: 'npm test' },
  { name: 'pnpm', install: 'pnpm@12.18.0', create: 'pnpm create @sdk my-app --yes', test: 'pnpm test' },
  { name: 'yarn', install: '@yarnpkg/cli-dist@4.18.1', create: 'yarn create @sdk my-app --yes', test: 'yarn test' },
  { name: 'yarn-classic', install: 'yarn@1.22.22', create: 'yarn create @sdk my-app --yes', test: 'yarn test' },
  { name: 'bun', install: 'bun@1.4.4', create: 'bun create @sdk my-app --yes', test: 'bun run test' },
]

/** Returns the variables that make every package manager use a registry, with a separate home folder. */
export function registryEnv(url: string, home: string): Record<string, string | undefined> {
  return {
    HOME: home,
    npm_config_registry: url,
    npm_config_userconfig: `${home}/.npmrc`,
    npm_config_cache: `${home}/.npm`,
    // yarn 1 installs the packages that "create" runs as global packages.
    npm_config_prefix: `${home}/.global`,
    YARN_GLOBAL_FOLDER: `${home}/.yarn-global`,
    YARN_CACHE_FOLDER: `${home}/.yarn-cache`,
    BUN_CONFIG_REGISTRY: url,
    YARN_REGISTRY: url,
    YARN_NPM_REGISTRY_SERVER: url,
    // yarn 4 does not install packages that were published less than a day ago.
    YARN_NPM_PREAPPROVED_PACKAGES: '@sdk/*',
    YARN_UNSAFE_HTTP_WHITELIST: new URL(url).hostname,
    // These come from the npm that runs this script, and identify the package manager that calls.
    npm_config_user_agent: undefined,
    npm_execpath: undefined,
    INIT_CWD: undefined,
    NODE_ENV: undefined,
    NODE_OPTIONS: undefined,
    // yarn refuses to write a lockfile in CI, which a user's machine is not.
    CI: undefined,
  }
}

/** Returns the package, as `name/version`, that a package manager did not find in the registry. */
export function findMissingPackage(output: string): string | null {
  const yarn = /(@?[\w./-]+)@npm:([\w.-]+): No candidates found/.exec(output)
  const classic = /Couldn't find any versions for "([^"]+)" that matches "([^"]+)"/.exec(output)
  const [, name, version] = yarn ?? classic ?? []
  return name === undefined || version === undefined ? null : `${name}/${version}`
}
