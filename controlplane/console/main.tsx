import { render } from 'preact';
import { App } from './app';
import { applyTheme } from './features/shell/theme';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/layout.css';
import './styles/parts.css';
import './styles/redirects.css';

applyTheme();
const root = document.getElementById('console');
if (root !== null) render(<App />, root);
