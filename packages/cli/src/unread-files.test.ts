import { describe, expect, it } from 'vitest'
import { fileProject } from './project.test.fixture.ts'
import { findUnreadFiles } from './unread-files.ts'

const AGENT = `import { createAgent } from '@sdk/server'\nexport default createAgent('hello', { handler: () => 1 })\n`
const ROUTER = `import { createRouter } from '@sdk/server'\nexport default createRouter()\n`

describe('findUnreadFiles', () => {
  it.each([
    ['src/agent/hello.ts', AGENT, 'src/agent/hello.ts', 'move it to src/agent/hello/agent.ts'],
    ['src/agent/hello/hello.ts', AGENT, 'src/agent/hello/hello.ts', 'move it to src/agent/hello/agent.ts'],
    ['src/agent/hello/agent.js', AGENT, 'src/agent/hello/agent.js', 'move it to src/agent/hello/agent.ts'],
    ['src/agents/hello/agent.ts', AGENT, 'src/agents', 'rename it to src/agent'],
    ['src/agents/hello.ts', AGENT, 'src/agents', 'rename it to src/agent'],
    ['agent/hello/agent.ts', AGENT, 'agent', 'rename it to src/agent'],
    ['src/routes/index.ts', ROUTER, 'src/routes', 'rename it to src/api'],
    ['src/api/index.js', ROUTER, 'src/api/index.js', 'export the router from src/api/index.ts'],
    ['src/api/router.ts', ROUTER, 'src/api/router.ts', 'export the router from src/api/index.ts'],
    ['src/api.ts', ROUTER, 'src/api.ts', 'export the router from src/api/index.ts'],
  ])('finds %s', (file, text, place, fix) => {
    expect(findUnreadFiles(fileProject({ [file]: text }).root)).toMatchObject([{ place, fix }])
  })

  it('accepts shared code, tests, and files next to those that are read', () => {
    const { root } = fileProject({
      'src/agent/hello/agent.ts': AGENT,
      'src/agent/hello/parts.ts': AGENT,
      'src/agent/hello.test.ts': AGENT,
      'src/agent/shared.ts': 'export const model = 1',
      'src/agent/shared/model.ts': 'export const model = 1',
      'src/agents/list.ts': AGENT,
      'src/api/index.ts': ROUTER,
      'src/api/notes.ts': ROUTER,
      'src/api.ts': ROUTER,
    })
    expect(findUnreadFiles(root)).toEqual([])
    expect(findUnreadFiles(fileProject({}).root)).toEqual([])
  })
})
