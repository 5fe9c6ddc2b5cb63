import { dirname, relative, resolve, sep } from 'node:path'
import { build, type InlineConfig, type Rolldown } from 'vite'
import { bundledFiles, createWarningLogger, withErrorLocation } from './bundle.ts'
import type { Config } from '../config.ts'
import type { Project, WebSource } from '../discover.ts'
import { htmlPageFile } from '../html-page.ts'
import { viteConfig } from '../vite-config.ts'
import { compressWebFiles, type WebFile } from './web-files.ts'

/** Bundles and compresses a project's web app. */
export async function bundleWeb(
  project: Project,
  { config, outDir }: { config: Config; outDir: string },
): Promise<WebFile[]> {
  const page = htmlPageFile(project.web as WebSource)
  const common = viteConfig(project, config.vite)
  const output = await withErrorLocation(project.root, { file: page, route: '/' }, async () =>
    bundledFiles(
      await build({
        ...common,
        customLogger: createWarningLogger(),
        build: {
          ...common.build,
          outDir,
          emptyOutDir: true,
          rolldownOptions: {
            ...common.build?.rolldownOptions,
            input: page,
            output: {
              ...outputOptions(common),
              sourcemapPathTransform: (source, map) => toSourcePath(project.root, source, map),
            },
          },
        },
      }),
    ),
  )
  // Only files with hashed names are immutable: files in the public folder keep their names and may change.
  return compressWebFiles(
    outDir,
    new Set(output.map(({ fileName }) => fileName).filter((name) => HASHED_NAME.test(name))),
  )
}

/** Matches the bundler's default file names, which contain a hash. */
const HASHED_NAME = /[-.][\w-]{8}\.\w+(?:\.map)?$/

function outputOptions({ build: options }: InlineConfig): Rolldown.OutputOptions {
  const output = options?.rolldownOptions?.output
  return output === undefined || Array.isArray(output) ? {} : output
}

/** Returns a source file's path in its project or package: a public source map must not contain absolute paths. */
function toSourcePath(root: string, source: string, map: string): string {
  const path = relative(root, resolve(dirname(map), source)).replaceAll(sep, '/')
  return path.replace(/^.*node_modules\//, 'node_modules/').replace(/^(?:\.\.\/)+.*?(?=[^/]+\/(?:src|dist)\/)/, '')
}
