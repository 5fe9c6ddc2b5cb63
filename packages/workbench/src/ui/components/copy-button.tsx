import { useEffect, useState, type ReactNode } from 'react'
import Check from 'lucide-react/icons/check'
import Copy from 'lucide-react/icons/copy'

interface CopyButtonProps {
  /** The text to copy. If it is a function, it is called when the button is clicked. */
  readonly text: string | (() => string)
  readonly label?: string
  readonly onCopy?: (() => void) | undefined
}

/** A button that copies text and shows whether copying succeeded. */
export function CopyButton({ text, label = 'Copy', onCopy }: CopyButtonProps): ReactNode {
  const [outcome, setOutcome] = useState<'Copied' | 'Copy failed' | null>(null)
  useEffect(() => {
    const timer = outcome === null ? undefined : setTimeout(() => setOutcome(null), 1500)
    return () => clearTimeout(timer)
  }, [outcome])

  function copy(): void {
    const value = typeof text === 'string' ? text : text()
    navigator.clipboard.writeText(value).then(
      () => {
        setOutcome('Copied')
        onCopy?.()
      },
      () => setOutcome('Copy failed'),
    )
  }

  return (
    <button type="button" className="button quiet small" onClick={copy}>
      {outcome === 'Copied' ? <Check size={13} aria-hidden /> : <Copy size={13} aria-hidden />}
      <span aria-live="polite">{outcome ?? label}</span>
    </button>
  )
}
