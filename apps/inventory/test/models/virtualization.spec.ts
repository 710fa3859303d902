import { describeApp } from '../support/describe-app.js';

describeApp('virtualization');
