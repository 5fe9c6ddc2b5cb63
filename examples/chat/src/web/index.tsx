import { SdkProvider } from '@sdk/react'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import './style.css'

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no element with the id "root"')

createRoot(root).render(
  <StrictMode>
    <SdkProvider>
      <App />
    </SdkProvider>
  </StrictMode>,
)
