stagetrace export "$DATA/traced-run" --metric rss
