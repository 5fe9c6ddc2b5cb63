import { assertList } from './assert-options.ts'

/** Any Better Auth plugin: `organization()`, `twoFactor()`, … */
export interface AuthPlugin {
  readonly id: string
}

/** Checks that all values are plugins, and that their ids are unique and differ from those of the SDK's own plugins. */
export function assertPlugins(plugins: readonly AuthPlugin[], own: readonly string[]): readonly AuthPlugin[] {
  const seen = new Set(own)
  for (const plugin of assertList<unknown>(plugins, 'plugins')) {
    if (!isPlugin(plugin))
      throw new TypeError(
        `createAuth: plugins accepts only Better Auth plugins such as twoFactor(), got ${typeof plugin}` +
          (typeof plugin === 'function' ? ': call it' : ''),
      )
    if (seen.has(plugin.id))
      throw new TypeError(`createAuth: plugins contains two plugins with the id ${JSON.stringify(plugin.id)}`)
    seen.add(plugin.id)
  }
  return plugins
}

function isPlugin(plugin: unknown): plugin is AuthPlugin {
  return typeof plugin === 'object' && plugin !== null && 'id' in plugin && typeof plugin.id === 'string'
}
