import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createApp, createLog, createResource, createRouter, memoryStore } from '@sdk/server'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Section } from './section.ts'

const tasks = createResource('tasks', { schema: z.object({}), store: memoryStore(), access: 'public' })

const resolver = createRequire(import.meta.url)

interface Manifest {
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(resolver.resolve(`${name}/package.json`), 'utf8')) as Manifest
}

/** Section 9. */
export const section9: Section = {
  number: '9',
  title: 'versioning',
  tests(apps) {
    describe('API versions', () => {
      it('9.1 the version is the path segment after /api', async () => {
        expect((await apps.open.call('GET /api/v1/tasks')).status).toBe(200)
        for (const path of ['/api/tasks', '/v1/api/tasks', '/api/v2/tasks', '/api/1/tasks', '/api/V1/tasks'])
          expect((await apps.open.call(`GET ${path}`)).status).toBe(404)
      })

      it.each(['', '1', 'v1.0', 'latest'])('9.1 resource throws for the version %j', (version) => {
        expect(() => createRouter().resource(version as 'v1', tasks)).toThrow(TypeError)
      })

      it('9.1 an app can serve several versions', async () => {
        const router = createRouter().resource('v1', tasks).resource('v2', tasks)
        const app = createApp({ router, log: createLog({ write: () => {} }) })
        for (const version of ['v1', 'v2'])
          expect((await app.fetch(new Request(`http://x.test/api/${version}/tasks`))).status).toBe(200)
        await app.close()
      })

      it('9.1 createApp throws if a route uses the path of a version', () => {
        const router = createRouter().on('GET /api/v1', () => 'mine')
        expect(() => createApp({ router })).toThrow(TypeError)
      })
    })

    it('9.2 all packages have the same version and depend on each other in that version', () => {
      const names = [
        'protocol',
        'server',
        'frontend',
        'react',
        'auth',
        'database',
        'redis',
        'workbench',
        'cli',
        'create',
      ]
      const manifests = names.map((name) => manifestOf(`@sdk/${name}`))
      const { version } = manifestOf('@sdk/server')
      expect(version).toMatch(/^\d+\.\d+\.\d+/)
      expect(new Set(manifests.map((manifest) => manifest.version))).toEqual(new Set([version]))
      const needed = manifests.flatMap(({ dependencies = {} }) => Object.entries(dependencies))
      const ours = needed.filter(([name]) => name.startsWith('@sdk/'))
      expect(new Set(ours.map(([, range]) => range))).toEqual(new Set([version]))
    })
  },
}
