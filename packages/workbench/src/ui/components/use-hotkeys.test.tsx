// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { useHotkeys, type Hotkeys } from './use-hotkeys.ts'

const pressed: string[] = []
beforeEach(() => void (pressed.length = 0))
afterEach(cleanup)

function Page({ keys, children }: { keys: readonly string[]; children?: ReactNode }): ReactNode {
  const hotkeys: Hotkeys = Object.fromEntries(keys.map((key) => [key, () => pressed.push(key)]))
  useHotkeys(hotkeys)
  return children
}

function press(...keys: string[]): void {
  for (const key of keys) fireEvent.keyDown(document.body, { key })
}

describe('useHotkeys', () => {
  it('hears single keys, chords with ⌘ or Ctrl, and one key after the other', () => {
    render(<Page keys={['j', '?', 'g h', 'mod+k']} />)
    press('j', '?', 'g', 'h')
    fireEvent.keyDown(document.body, { key: 'k', metaKey: true })
    fireEvent.keyDown(document.body, { key: 'K', ctrlKey: true })
    expect(pressed).toEqual(['j', '?', 'g h', 'mod+k', 'mod+k'])
  })

  it('takes the second key of two for nothing else', () => {
    render(<Page keys={['g r', 'r']} />)
    press('g', 'r', 'r')
    expect(pressed).toEqual(['g r', 'r'])
    press('g', 'x', 'r')
    expect(pressed).toEqual(['g r', 'r', 'r'])
  })

  it('leaves what is typed to the field, but not chords and Escape', () => {
    render(
      <Page keys={['j', 'mod+Enter', 'Escape']}>
        <textarea aria-label="text" />
      </Page>,
    )
    const field = screen.getByLabelText('text')
    fireEvent.keyDown(field, { key: 'j' })
    expect(pressed).toEqual([])
    fireEvent.keyDown(field, { key: 'Enter', metaKey: true })
    fireEvent.keyDown(field, { key: 'Escape' })
    expect(pressed).toEqual(['mod+Enter', 'Escape'])
  })

  it('leaves all keys to a dialog that is open, and to who has taken them', () => {
    render(
      <Page keys={['j']}>
        <dialog open>asks</dialog>
      </Page>,
    )
    press('j')
    cleanup()
    render(
      <Page keys={['j']}>
        <button type="button" onKeyDown={(event) => event.preventDefault()}>
          own
        </button>
      </Page>,
    )
    fireEvent.keyDown(screen.getByText('own'), { key: 'j' })
    expect(pressed).toEqual([])
  })

  it('takes no key that the list of shortcuts does not tell of', () => {
    // @ts-expect-error -- `q` is in no list, so nobody would find it
    const unknown: Hotkeys = { q: () => {} }
    expect(Object.keys(unknown)).toEqual(['q'])
  })

  it('gives a key to the one who came last, and back when they have gone', () => {
    const Both = ({ hasInner }: { hasInner: boolean }): ReactNode => (
      <>
        <Page keys={['j', 'k']} />
        {hasInner && <Inner />}
      </>
    )
    const Inner = (): ReactNode => {
      useHotkeys({ j: () => pressed.push('inner j') })
      return null
    }
    const { rerender } = render(<Both hasInner={false} />)
    rerender(<Both hasInner />)
    press('j', 'k')
    rerender(<Both hasInner={false} />)
    press('j')
    expect(pressed).toEqual(['inner j', 'k', 'j'])
  })
})
