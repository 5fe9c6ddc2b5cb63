import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { findEnvFiles, loadEnvFiles, type EnvMode } from './env-files.ts'

describe('loadEnvFiles', () => {
  it('prefers the file of the mode to the others, and the environment to all files', () => {
    const files = {
      '.env': 'A=1\nB=1\nC=1\nD=1\nE=1',
      '.env.local': 'B=2\nC=2\nD=2\nE=2',
      '.env.development': 'C=3\nD=3\nE=3',
      '.env.development.local': 'D=4\nE=4',
      '.env.production': 'A=5',
    }
    expect(load(files, 'development', { E: '' })).toEqual({ A: '1', B: '2', C: '3', D: '4', E: '' })
    expect(load(files, 'production')).toEqual({ A: '5', B: '2', C: '2', D: '2', E: '2' })
  })

  it('reads comments, quotes, multiline values and Windows line breaks, and does not expand variables', () => {
    const text =
      '\uFEFF# a comment\r\nexport A=1 # one\r\n\r\nB = "x # y"\r\nC=\'a\nb\'\nD=p$A${B}\nE=\n  F=it\'s\nG="q" # r\n'
    expect(load({ '.env': text }, 'development')).toEqual({
      A: '1',
      B: 'x # y',
      C: 'a\nb',
      D: 'p$A${B}',
      E: '',
      F: "it's",
      G: 'q',
    })
  })

  it('does not set NODE_ENV', () => {
    expect(load({ '.env': 'NODE_ENV=production\nA=1' }, 'development')).toEqual({ A: '1' })
  })

  it.each([
    ['A=1\nsecret words\n', '.env:2 is not NAME=value'],
    ['A=1\n=2\n', '.env:2 is not NAME=value'],
    ['1A=2\n', '.env:1 is not NAME=value'],
    ['A="a\nb"\nC\n', '.env:3 is not NAME=value'],
    ['A=1\nB="two\nC=3\n', '.env:2 has an unclosed quote (")'],
  ])('rejects %j with the line number but not its content, and sets no variables', (text, message) => {
    const env = {}
    const root = project({ '.env': text })
    expect(() => loadEnvFiles(root, 'development', env)).toThrow(
      expect.objectContaining({ code: 'INVALID_ENV_FILE', message }),
    )
    expect(env).toEqual({})
  })

  it('ignores a folder named .env', () => {
    const root = project({})
    mkdirSync(join(root, '.env'))
    expect(findEnvFiles(root, 'development')).toEqual([])
  })
})

function load(files: Record<string, string>, mode: EnvMode, env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  loadEnvFiles(project(files), mode, env)
  return env
}

function project(files: Record<string, string>): string {
  const { path } = temporaryFolder('env')
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  return path
}
