import { readdirSync } from 'node:fs'
import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { SegmentFiles } from './segments.ts'

describe('SegmentFiles', () => {
  it('leaves no empty file after a failed write', async () => {
    const folder = temporaryFolder('segments')
    const segments = new SegmentFiles(folder.path, () => 1_000)
    const unwritable = { length: 3 } as Buffer
    for (let times = 0; times < 3; times++) await expect(segments.append([unwritable])).rejects.toThrow(TypeError)
    expect(readdirSync(folder.path)).toEqual([])
    await segments.append([Buffer.from('{}\n')])
    await expect(segments.append([unwritable])).rejects.toThrow(TypeError)
    expect(readdirSync(folder.path)).toHaveLength(1)
    await segments.close()
    folder.remove()
  })
})
